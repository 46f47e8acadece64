import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { changeProspect, type ProspectChange } from '#lib/audience/prospects/change-prospect.ts'
import { eraseProspect } from '#lib/audience/prospects/erase-prospect.ts'
import { mergeProspects } from '#lib/audience/prospects/merge-prospects.ts'
import { addSuppression, removeSuppression } from '#lib/audience/suppression/suppressions.ts'
import { readLedger } from '#lib/campaigns/ledger.ts'
import { editSequence } from '#lib/email-scheduler/effects/edit-sequence.ts'
import { unpark } from '#lib/email-scheduler/effects/unpark.ts'
import { type ClaimedEmail, claimByIds } from '#lib/email-scheduler/send/claim.ts'
import { mark } from '#lib/email-scheduler/send/mark.ts'
import { release } from '#lib/email-scheduler/send/release.ts'
import { settle } from '#lib/email-scheduler/send/settle.ts'
import type { GuardName } from '#lib/guardrails/guards.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { createSequence } from '#lib/sequences/change-sequence.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { launch, makeDraft } from '#tests/support/data/drafts.ts'
import { makeEmails, type TestEmail } from '#tests/support/data/emails.ts'
import { makeKey } from '#tests/support/data/keys.ts'
import { actor } from '#tests/support/data/people.ts'
import { type Audience, audienceOf, importFile } from '#tests/support/data/prospects.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const key = makeKey('test')
let audience: Audience

const tx = <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(db.pool, work)
const change = (id: string, wanted: ProspectChange) =>
  tx((client) => changeProspect(client, audience.workspaceId, audience.hash, id, wanted, actor, audience.consequences))

describe('filling a missing field frees the enrolment at once', () => {
  async function blocked() {
    const { workspaceId } = await makeDraft(db.pool, 0, [0])
    const steps = [{ delayDays: 0, subject: 'Hi {{firstName}}', bodyText: 'x', bodyHtml: '' }]
    const { id } = await tx((client) => createSequence(client, workspaceId, { name: 'Named', steps }))
    const draft = await makeDraft(db.pool, 2, [], { workspaceId, sequenceId: id })
    audience = await audienceOf(db.pool, workspaceId, key)
    await launch(db.pool, draft)
    const states = async () => (await readLedger(db.pool, draft.campaignId)).enrolments
    expect(await states()).toMatchObject({ BLOCKED: 2, PENDING: 0 })
    return { ...draft, states }
  }

  test('by hand, and taking it away blocks again', async () => {
    const { prospectIds, states } = await blocked()
    await change(prospectIds[0] ?? '', { firstName: 'Ann' })
    expect(await states()).toMatchObject({ BLOCKED: 1, PENDING: 1 })
    await change(prospectIds[0] ?? '', { firstName: null })
    expect(await states()).toMatchObject({ BLOCKED: 2, PENDING: 0 })
  })

  test('by an import', async () => {
    const { prospectIds, states } = await blocked()
    await db.pool.query('UPDATE prospects SET email = $2, email_hash = $3 WHERE id = $1', [
      prospectIds[1],
      'bob@example.com',
      audience.hash('bob@example.com'),
    ])
    await importFile(db.pool, audience, 'email,name\nbob@example.com,Bob\nnew@example.com,New\n', {
      columns: [{ to: 'email' }, { to: 'firstName' }],
    })
    expect(await states()).toMatchObject({ BLOCKED: 1, PENDING: 1 })
  })

  test('by a merge', async () => {
    const { prospectIds, states } = await blocked()
    const [one = '', two = ''] = prospectIds
    await db.pool.query(`UPDATE prospects SET first_name = 'Bo' WHERE id = $1`, [two])
    await tx((client) =>
      mergeProspects(client, audience.workspaceId, { winnerId: one, loserId: two }, actor, audience.consequences),
    )
    expect(await states()).toMatchObject({ PENDING: 1 })
  })
})

describe('what a guard has parked goes on by its cure', () => {
  let campaign: TestCampaign
  let emails: TestEmail[]
  beforeEach(async () => {
    campaign = await makeCampaign(db.pool)
    emails = await makeEmails(db.pool, campaign, 2, 2)
    audience = await audienceOf(db.pool, campaign.workspaceId, key)
  })

  const claim = () =>
    tx((client) =>
      claimByIds(
        client,
        emails.map(({ id }) => id),
        { worker: 'w', leaseMs: 60_000 },
      ),
    )
  const park = (claimed: ClaimedEmail[], blocker: GuardName) =>
    tx((client) =>
      release(
        client,
        claimed.map(({ id, leaseToken, worker, claimedAt }) => ({
          ...{ id, leaseToken, worker, claimedAt },
          code: blocker,
          to: { kind: 'parked' as const, blocker },
        })),
      ),
    )
  const waiting = async () => {
    const { rows } = await db.pool.query<{ prospect_id: string; step: number; blocker: string | null; ready: boolean }>(
      `SELECT prospect_id, step_number AS step, blocker, ready_at IS NOT NULL AS ready FROM scheduled_emails
       WHERE campaign_id = $1 ORDER BY step_number, prospect_id`,
      [campaign.campaignId],
    )
    return rows
  }
  const readyOnes = async () => (await waiting()).filter(({ ready }) => ready).map((row) => row.prospect_id)

  test('a prospect that is resumed; others stay parked, and a follow-up goes on waiting for its predecessor', async () => {
    const claimed = await claim()
    const [one = '', two = ''] = claimed.map(({ prospectId }) => prospectId ?? '')
    for (const id of [one, two]) await change(id, { paused: true })
    await park(claimed, 'prospect-active')
    expect(await readyOnes()).toEqual([])
    await change(one, { paused: false })
    expect(await readyOnes()).toEqual([one])
    expect((await waiting()).filter(({ blocker }) => blocker !== null).map((row) => row.prospect_id)).toEqual([two])
    expect(await claim()).toMatchObject([{ prospectId: one, stepNumber: 1 }])
  })

  test('a field that is filled, but not one that another person filled', async () => {
    const claimed = await claim()
    await park(claimed, 'merge-fields-complete')
    const [one = ''] = claimed.map(({ prospectId }) => prospectId ?? '')
    await change(one, { paused: false })
    expect(await readyOnes()).toEqual([])
    await change(one, { customFields: { plan: 'gold' } })
    expect(await readyOnes()).toEqual([one])
  })

  test('a text that got a fallback', async () => {
    await park(await claim(), 'merge-fields-complete')
    await db.pool.query(
      `INSERT INTO sequence_steps (id, sequence_id, step_number, subject, body_text, updated_at)
       SELECT gen_random_uuid(), $1, n, 'Hi', '{{firstName}}', app_now() FROM generate_series(1, 2) n
       ON CONFLICT (sequence_id, step_number) DO UPDATE SET subject = excluded.subject, body_text = excluded.body_text`,
      [campaign.sequenceId],
    )
    await db.pool.query('UPDATE sequences SET launched_at = app_now() WHERE id = $1', [campaign.sequenceId])
    const steps = [1, 2].map((stepNumber) => ({
      ...{ stepNumber, delayDays: 0, subject: 'Hi', bodyHtml: '' },
      bodyText: '{{firstName | "there"}}',
    }))
    await tx((client) => editSequence(client, campaign.workspaceId, campaign.sequenceId, { steps }, actor))
    expect(await readyOnes()).toHaveLength(2)
  })

  test('a mailbox that is connected again; a retry is due at its time', async () => {
    const claimed = await claim()
    await db.pool.query(`UPDATE scheduled_emails SET next_retry_at = app_now() + interval '5 minutes' WHERE id = $1`, [
      claimed[0]?.id,
    ])
    await park(claimed, 'mailbox-connected')
    const cure = (workspaceId: string, mailboxId: string) =>
      tx((client) => unpark(client, workspaceId, { mailboxId }, 'mailbox-connected'))
    expect(await cure(newId(), campaign.mailboxId)).toBe(0)
    expect(await cure(campaign.workspaceId, newId())).toBe(0)
    expect(await cure(campaign.workspaceId, campaign.mailboxId)).toBe(2)
    const { rows } = await db.pool.query(
      `SELECT status, ready_at = coalesce(next_retry_at, scheduled_for) AS "onTime", blocker FROM scheduled_emails
       WHERE id = ANY($1::uuid[]) ORDER BY status`,
      [claimed.map(({ id }) => id)],
    )
    expect(rows).toEqual([
      { status: 'SCHEDULED', onTime: true, blocker: null },
      { status: 'RETRY_SCHEDULED', onTime: true, blocker: null },
    ])
  })

  test('erasing blanks what providers and guards said of the person, and nothing else of the history', async () => {
    const claimed = await claim()
    const [one, two] = claimed
    if (!one || !two) throw new Error('nothing was claimed')
    await tx((client) => mark(client, claimed, 1_000))
    await tx((client) =>
      settle(
        client,
        claimed.map((email) => ({
          ...email,
          marked: true as const,
          outcome: {
            kind: 'rejected' as const,
            ...{
              scope: 'recipient' as const,
              code: 'INVALID_RECIPIENT' as const,
              reason: 'No such user <zaphod@x.test>.',
            },
            providerText: '550 zaphod@x.test unknown',
          },
          receipt: { 'not-suppressed': 'zaphod@x.test is fine' },
        })),
      ),
    )
    const history = async (id: string) => {
      const { rows } = await db.pool.query(
        `SELECT a.*, e.last_error, e.last_error_code, e.status FROM email_attempts a JOIN scheduled_emails e ON e.id = a.email_id WHERE e.id = $1`,
        [id],
      )
      return rows[0]
    }
    const before = await history(one.id)
    expect(JSON.stringify(before)).toContain('zaphod')
    await expect(
      db.pool.query('UPDATE email_attempts SET provider_text = NULL WHERE email_id = $1', [one.id]),
    ).rejects.toThrow('does not change')
    await tx((client) =>
      eraseProspect(client, campaign.workspaceId, one.prospectId ?? '', actor, audience.consequences),
    )
    expect(await history(one.id)).toEqual({ ...before, provider_text: null, receipt: null, last_error: null })
    expect(JSON.stringify(await history(two.id))).toContain('zaphod')
    for (const forged of [
      `provider_text = 'something else'`,
      `outcome = 'ACCEPTED'`,
      `worker = 'x', provider_text = NULL`,
    ])
      await expect(db.pool.query(`UPDATE email_attempts SET ${forged} WHERE email_id = $1`, [one.id])).rejects.toThrow(
        'does not change',
      )
  })
})

test('what a provider says after its recipient was erased is blanked by the next look', async () => {
  const campaign = await makeCampaign(db.pool)
  const emails = await makeEmails(db.pool, campaign, 2)
  audience = await audienceOf(db.pool, campaign.workspaceId, key)
  const held = await tx((client) =>
    claimByIds(
      client,
      emails.map(({ id }) => id),
      { worker: 'w', leaseMs: 60_000 },
    ),
  )
  await tx((client) => mark(client, held, 1_000))
  const erased = held[0]?.prospectId ?? ''
  await tx((client) => eraseProspect(client, campaign.workspaceId, erased, actor, audience.consequences))
  const outcome = {
    kind: 'unknown' as const,
    code: 'TIMEOUT_AFTER_DATA' as const,
    reason: 'No answer for zaphod.',
    providerText: 'zaphod?',
  }
  await tx((client) =>
    settle(
      client,
      held.map((email) => ({ ...email, marked: true as const, outcome })),
    ),
  )
  const texts = async () => {
    const { rows } = await db.pool.query<{ prospect_id: string; text: string | null; error: string | null }>(
      `SELECT e.prospect_id, a.provider_text AS text, e.last_error AS error FROM scheduled_emails e JOIN email_attempts a ON a.email_id = e.id
       WHERE e.campaign_id = $1`,
      [campaign.campaignId],
    )
    return new Map(rows.map((row) => [row.prospect_id, [row.text, row.error]]))
  }
  expect((await texts()).get(erased)).toEqual([null, null])
  expect((await texts()).get(held[1]?.prospectId ?? '')).toEqual(['zaphod?', 'No answer for zaphod.'])
})

test('a suppression waits for marks that hold the settings, so that it is never answered before one that did not see it', async () => {
  const { workspaceId } = await makeDraft(db.pool, 0, [0])
  audience = await audienceOf(db.pool, workspaceId, key)
  const suppress = () =>
    addSuppression(
      db.pool,
      workspaceId,
      audience.hash,
      { value: 'ann@example.com', source: 'PERSON' },
      actor,
      audience.consequences.cancelWaiting,
    )
  /** As a mark does: the settings are held shared until it has committed. */
  async function whileMarking<T>(work: () => Promise<T>): Promise<T> {
    const order: string[] = []
    const mark = await db.pool.connect()
    await mark.query('BEGIN')
    await mark.query('SELECT FROM sending_settings WHERE workspace_id = $1 FOR SHARE', [workspaceId])
    const doing = work().finally(() => order.push('answered'))
    await sleep(200)
    order.push('marked')
    await mark.query('COMMIT')
    mark.release()
    const answer = await doing
    expect(order).toEqual(['marked', 'answered'])
    return answer
  }
  const { suppression } = await whileMarking(suppress)
  await whileMarking(() => tx((client) => removeSuppression(client, workspaceId, suppression.id, actor)))
})
