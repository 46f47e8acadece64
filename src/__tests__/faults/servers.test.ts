import { expect, test } from 'vitest'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider, testProviders } from '#tests/support/faults/provider.ts'
import { makeSending, type SendingPlace, sendThrough } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { countStates, until, untilAtRest } from '#tests/support/faults/waiting.ts'
import { Worker, withWorkers } from '#tests/support/faults/worker.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const EMAILS = scale({ short: 40, full: 400 })
const CONNECTIONS = 4
/** After this many of the same wrong way a mailbox pauses; after three such pauses it stops. */
const BURNED_MAX = 5
/** Pauses of a mailbox are travelled over; leases last longer. */
const SETTINGS = { connections: CONNECTIONS, leaseSeconds: 3_600, submitSeconds: 4 }

type Mailbox = { status: string; isPausing: boolean; reason: string | null }
async function mailboxOf({ mailboxIds }: SendingPlace): Promise<Mailbox | undefined> {
  const { rows } = await db.pool.query<Mailbox>(
    `SELECT status, coalesce(fault_until > app_now(), false) AS "isPausing", coalesce(stopped_reason, pause_reason) AS reason
     FROM mailboxes WHERE id = $1`,
    [mailboxIds[0]],
  )
  return rows[0]
}

const provider = testProvider()
const few = testProviders(() => [{ connectionsMax: 2, script: { dot: { delayMs: 20 } } }])
const hanging = testProviders(() => [
  { script: { banner: { ending: 'hang', reply: '' } } },
  { script: { mail: { ending: 'hang', reply: '' } } },
])

test('a server that refuses the sender for now makes the mailbox pause and say so, and no email pays', async () => {
  const before = provider.ledger().length
  await provider.play({ mail: { reply: '452 4.3.1 No space left' } })
  const place = await makeSending(db.pool, provider.port, { prospects: EMAILS, mailboxes: 1 })
  let attempts = 0
  await withWorkers(db.url, [SETTINGS, SETTINGS], async () => {
    await until('the mailbox pauses', async () => (await mailboxOf(place))?.isPausing)
    await until('nothing is held', async () => (await countStates(db.pool, place.campaignId)).MARKED === undefined)
    expect(await mailboxOf(place)).toMatchObject({ status: 'CONNECTED', reason: expect.stringMatching(/./) })
    const { rows } = await db.pool.query<{ attempts: number }>(
      'SELECT sum(attempts)::int AS attempts FROM scheduled_emails WHERE campaign_id = $1',
      [place.campaignId],
    )
    attempts = rows[0]?.attempts ?? -1
    await provider.play({})
    await db.travel('2 minutes')
    await untilAtRest(db.pool, [place.campaignId])
  })
  const ledger = provider.ledger().slice(before)
  const findings = await verdict(db.pool, 'trouble at MAIL FROM', [place.campaignId], ledger, { attempts })
  expect(findings).toMatchObject({ sent: EMAILS, unknown: 0, failed: 0 })
  expect(attempts).toBe(0)
})

test('a server that takes every message and never answers costs a campaign a few emails: its mailbox pauses, and then stops', async () => {
  const before = provider.ledger().length
  await provider.play({ dot: { reply: '', ending: 'close', accepts: true } })
  const place = await makeSending(db.pool, provider.port, { prospects: EMAILS, mailboxes: 1 })
  let pauses = 0
  await withWorkers(db.url, [SETTINGS], async () => {
    await until('the mailbox has stopped', async () => {
      const mailbox = await mailboxOf(place)
      const { SENDING = 0, MARKED = 0 } = await countStates(db.pool, place.campaignId)
      if (mailbox?.isPausing && mailbox.status === 'CONNECTED' && SENDING + MARKED === 0) {
        pauses += 1
        await db.travel('16 minutes')
      }
      return mailbox?.status === 'STOPPED'
    })
  })
  const { reason } = (await mailboxOf(place)) ?? {}
  const ledger = provider.ledger().slice(before)
  const findings = await verdict(db.pool, 'a server that never answers', [place.campaignId], ledger, { pauses })
  expect(reason).toMatch(/handed over and never answered/)
  expect(pauses).toBe(3)
  // One at a time after each pause; before the first, what was in flight beside the fifth.
  expect(findings.unknown).toBeLessThan(BURNED_MAX + CONNECTIONS + pauses)
  expect(findings.waiting).toBe(EMAILS - findings.unknown)
})

test('a server that takes two connections is used with two, without a storm of refusals', async () => {
  const place = await makeSending(db.pool, few[0]?.port ?? 0, { prospects: EMAILS, mailboxes: 1 })
  await sendThrough(db.pool, place.mailboxIds, few)
  await withWorkers(db.url, [{ ...SETTINGS, connections: 10 }], () => untilAtRest(db.pool, [place.campaignId]))
  const ledger = few.flatMap((one) => one.ledger())
  // Refused ones are counted as well, but send nothing: the last that sent something tells how many there were before.
  const connections = Math.max(...ledger.map(({ connection }) => connection))
  const used = new Set(ledger.map(({ connection }) => connection)).size
  const findings = await verdict(db.pool, 'a server that takes two connections', [place.campaignId], ledger, {
    connections,
    used,
  })
  expect(findings).toMatchObject({ sent: EMAILS, unknown: 0, failed: 0 })
  expect(used).toBeGreaterThanOrEqual(2)
  expect(connections).toBeLessThanOrEqual(6)
})

test('servers that hang, before the login or within a hand-over, hold up no mailbox whose server answers', async () => {
  const before = provider.ledger().length
  await provider.play({ dot: { delayMs: 20 } })
  const healthy = await makeSending(db.pool, provider.port, { prospects: EMAILS, mailboxes: 4 })
  const statesOf = ({ campaignId }: SendingPlace) => countStates(db.pool, campaignId)
  await setDue(healthy, EMAILS / 2, '1 hour')
  // What hangs is given up after minutes: what waited for it would be seen to wait.
  const worker = new Worker(db.url, { ...SETTINGS, submitSeconds: 600 })
  let hung: SendingPlace
  let marked = 0
  try {
    await until('its mailboxes are known to answer', async () => (await statesOf(healthy)).SENT === EMAILS / 2)
    hung = await makeSending(db.pool, provider.port, { prospects: 16, mailboxes: 8 })
    await sendThrough(
      db.pool,
      hung.mailboxIds,
      hung.mailboxIds.flatMap((_, index) => hanging[index % 2] ?? []),
    )
    await until('all hang that may', async () => (await statesOf(hung)).MARKED === CONNECTIONS / 2)
    await setDue(healthy, EMAILS / 2, '0')
    await untilAtRest(db.pool, [healthy.campaignId])
    marked = (await statesOf(hung)).MARKED ?? 0
  } finally {
    // It would wait for what hangs.
    await worker.kill()
  }
  expect(marked).toBe(CONNECTIONS / 2)
  await Promise.all(hanging.map((one) => one.play({})))
  await db.travel('2 hours')
  await withWorkers(db.url, [SETTINGS], () => untilAtRest(db.pool, [hung.campaignId]))

  const ledger = [...provider.ledger().slice(before), ...hanging.flatMap((one) => one.ledger())]
  const campaigns = [healthy.campaignId, hung.campaignId]
  const findings = await verdict(db.pool, 'servers that hang', campaigns, ledger, { marked })
  expect(findings).toMatchObject({ sent: EMAILS + 16 - marked, unknown: marked, failed: 0 })
})

async function setDue({ campaignId }: SendingPlace, count: number, when: string): Promise<void> {
  await db.pool.query(
    `UPDATE scheduled_emails SET ready_at = app_now() + $3::interval WHERE id IN (
       SELECT id FROM scheduled_emails WHERE campaign_id = $1 AND status = 'SCHEDULED' LIMIT $2)`,
    [campaignId, count, when],
  )
}
