import { expect, test } from 'vitest'
import { privateKeyPlace } from '#lib/mail/domains/sending-domain.ts'
import { newId } from '#lib/platform/id.ts'
import { generateKey, readKeyring } from '#lib/platform/keyring.ts'
import { storeCredential } from '#lib/tenancy/credentials/credentials.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending, type SendingPlace } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { countStates, until, untilAtRest } from '#tests/support/faults/waiting.ts'
import { withWorkers } from '#tests/support/faults/worker.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const EMAILS = scale({ short: 40, full: 600 })
const MAILBOXES = 4
/** Pauses of a mailbox are travelled over; leases last longer. */
const SETTINGS = { leaseSeconds: 3_600 }
const LOST_KEY = generateKey(new Date('2025-01-01'))

const provider = testProvider()

/** Its key was kept under one that no worker has any more. */
async function addUnreadableDomain({ workspaceId, mailboxIds }: SendingPlace): Promise<string> {
  const lost = readKeyring(LOST_KEY)
  if (!lost.ok) throw new Error(lost.problem)
  const id = newId()
  await db.pool.query(
    `INSERT INTO sending_domains (id, workspace_id, domain, selector, public_key, verified_at, created_at)
     SELECT $1, $2, split_part(address, '@', 2), 's1', 'unused', app_now(), app_now() FROM mailboxes WHERE id = $3`,
    [id, workspaceId, mailboxIds[0]],
  )
  await storeCredential(db.pool, lost.keyring, privateKeyPlace(workspaceId, id), 'a key that nobody can read')
  return id
}

async function faultsOf({ mailboxIds }: SendingPlace): Promise<(string | null)[]> {
  const { rows } = await db.pool.query<{ reason: string | null }>(
    'SELECT pause_reason AS reason FROM mailboxes WHERE id = ANY($1::uuid[]) AND fault_until > app_now()',
    [mailboxIds],
  )
  return rows.map(({ reason }) => reason)
}

async function attemptsOf({ campaignId }: SendingPlace): Promise<number> {
  const { rowCount } = await db.pool.query(
    'SELECT FROM email_attempts a JOIN scheduled_emails e ON e.id = a.email_id WHERE e.campaign_id = $1',
    [campaignId],
  )
  return rowCount ?? 0
}

test('emails that cannot be signed go round neither without end nor before others: their mailboxes rest and say why', async () => {
  const broken = await makeSending(db.pool, provider.port, { prospects: EMAILS, mailboxes: MAILBOXES })
  const domainId = await addUnreadableDomain(broken)
  const healthy = await makeSending(db.pool, provider.port, { prospects: EMAILS, mailboxes: MAILBOXES })
  let attempts = 0
  await withWorkers(db.url, [SETTINGS, SETTINGS], async () => {
    await untilAtRest(db.pool, [healthy.campaignId])
    await until('all its mailboxes rest', async () => (await faultsOf(broken)).length === MAILBOXES)
    for (const reason of await faultsOf(broken)) expect(reason).toMatch(/key that signs for .* cannot be read/)
    attempts = await attemptsOf(broken)
    expect(await countStates(db.pool, broken.campaignId)).toEqual({ SCHEDULED: EMAILS })
    // Each mailbox found out with one email, for each of the workers at most.
    expect(attempts).toBeLessThanOrEqual(2 * MAILBOXES)
    await db.pool.query('DELETE FROM sending_domains WHERE id = $1', [domainId])
    await db.travel('2 minutes')
    await untilAtRest(db.pool, [broken.campaignId])
  })

  const campaigns = [broken.campaignId, healthy.campaignId]
  const findings = await verdict(db.pool, 'a key that cannot be read', campaigns, provider.ledger(), { attempts })
  expect(findings).toMatchObject({ sent: 2 * EMAILS, unknown: 0 })
})
