import { describe, expect, test } from 'vitest'
import { recheckProspects } from '#lib/campaigns/blocked.ts'
import { findCampaign } from '#lib/campaigns/campaign.ts'
import { enrolProspects } from '#lib/campaigns/enrol.ts'
import { readLedger } from '#lib/campaigns/ledger.ts'
import { CAMPAIGN_STATUSES, mayCampaignBecome } from '#lib/campaigns/life.ts'
import { archiveCampaign, pauseCampaign, resumeCampaign } from '#lib/campaigns/move.ts'
import { stopCampaign } from '#lib/email-scheduler/effects/stop-campaign.ts'
import { retryFailed } from '#lib/email-scheduler/verbs/retry.ts'
import { createPool, inTransaction, type Sql } from '#lib/platform/database.ts'
import { createSequence } from '#lib/sequences/change-sequence.ts'
import { runTick } from '#lib/worker/tick.ts'
import { type Draft, launch, makeDraft } from '#tests/support/data/drafts.ts'
import { actor } from '#tests/support/data/people.ts'
import { auditPlan } from '#tests/support/data/plan-audit.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const tick = () => runTick(db.pool, 'test', silent)
const statusOf = async ({ workspaceId, campaignId }: Draft) =>
  (await findCampaign(db.pool, workspaceId, campaignId)).status
const ledgerOf = ({ campaignId }: Draft) => readLedger(db.pool, campaignId)
const by =
  <T>(verb: (tx: Sql, workspaceId: string, id: string, by: typeof actor) => Promise<T>) =>
  ({ workspaceId, campaignId }: Draft): Promise<T> =>
    inTransaction(db.pool, (tx) => verb(tx, workspaceId, campaignId, actor))
const [pause, resume, archive] = [by(pauseCampaign), by(resumeCampaign), by(archiveCampaign)]
const stop = ({ workspaceId, campaignId }: Draft, mayContinue = () => true) =>
  stopCampaign(db.pool, workspaceId, campaignId, actor, mayContinue)

/** As a worker would: everything that may be sent is. */
const sendEverything = ({ campaignId }: Draft) =>
  inTransaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica')
    await tx.query(
      `UPDATE scheduled_emails SET status = 'SENT', sent_at = app_now(), ready_at = NULL WHERE campaign_id = $1 AND status = 'SCHEDULED'`,
      [campaignId],
    )
    await tx.query('SELECT recount_emails(), recount_people()')
  })

test('Postgres knows the same arrows as the table, each of them', async () => {
  const draft = await makeDraft(db.pool, 0, [0])
  for (const from of CAMPAIGN_STATUSES) {
    for (const to of CAMPAIGN_STATUSES.filter((status) => status !== from)) {
      await inTransaction(db.pool, async (tx) => {
        await tx.query('SET LOCAL session_replication_role = replica')
        await tx.query(`UPDATE campaigns SET status = $2, scheduled_at = app_now() WHERE id = $1`, [
          draft.campaignId,
          from,
        ])
      })
      const moved = db.pool.query('UPDATE campaigns SET status = $2 WHERE id = $1', [draft.campaignId, to])
      if (mayCampaignBecome(from, to)) await expect(moved, `${from} → ${to}`).resolves.toMatchObject({ rowCount: 1 })
      else await expect(moved, `${from} → ${to}`).rejects.toThrow(`a campaign that is ${from} cannot become ${to}`)
    }
  }
})

describe('a launch', () => {
  test('says all that is wrong at once, and changes nothing', async () => {
    const draft = await makeDraft(db.pool, 0, [], { mailboxes: 0, settings: { postal_address: '', sending_days: [] } })
    const error = await launch(db.pool, draft).catch((refused) => refused)
    expect(error).toMatchObject({ status: 409, code: 'not-ready' })
    expect(error.details.problems.map(({ code }: { code: string }) => code)).toEqual([
      'no-prospects',
      'empty-sequence',
      'no-mailbox',
      'no-sending-day',
      'no-postal-address',
    ])
    expect(await statusOf(draft)).toBe('DRAFT')
  })

  test('names the place of a text that is not right', async () => {
    const { workspaceId } = await makeDraft(db.pool, 0, [0])
    const steps = [{ delayDays: 0, subject: 'Hi {{nick}}', bodyText: 'x', bodyHtml: '' }]
    const { id } = await inTransaction(db.pool, (tx) => createSequence(tx, workspaceId, { name: 'Odd', steps }))
    const draft = await makeDraft(db.pool, 1, [], { workspaceId, sequenceId: id })
    await expect(launch(db.pool, draft)).rejects.toMatchObject({
      details: { problems: [{ code: 'invalid-texts', places: [{ stepNumber: 1, text: 'subject', column: 4 }] }] },
    })
  })

  test('pressed from eight connections at once happens once', async () => {
    const draft = await makeDraft(db.pool, 120, [0, 2])
    const pools = Array.from({ length: 8 }, () => createPool(db.url, 1))
    const results = await Promise.all(pools.map((pool) => launch(pool, draft)))
    await Promise.all(pools.map((pool) => pool.end()))
    expect(new Set(results.map(({ version }) => version)).size).toBe(1)
    await Promise.all([tick(), tick(), tick()])
    const audit = await db.pool.query(`SELECT FROM audit_log WHERE action = 'campaign.launched' AND target_id = $1`, [
      draft.campaignId,
    ])
    expect(audit.rowCount).toBe(1)
    expect(await ledgerOf(draft)).toMatchObject({ balances: true, emails: { total: 240 }, enrolments: { ACTIVE: 120 } })
    expect(await auditPlan(db.pool, draft.workspaceId)).toEqual([])
  })

  test('for a later time waits for it, and the tick starts it then; paused before, it waits again when resumed', async () => {
    const draft = await makeDraft(db.pool, 5, [0])
    const { rows } = await db.pool.query<{ at: Date }>(`SELECT app_now() + interval '2 hours' AS at`)
    expect(await launch(db.pool, draft, rows[0]?.at)).toMatchObject({ status: 'SCHEDULED' })
    await tick()
    expect(await ledgerOf(draft)).toMatchObject({ emails: { total: 0 } })
    expect(await pause(draft)).toMatchObject({ status: 'PAUSED' })
    expect(await resume(draft)).toMatchObject({ status: 'SCHEDULED' })
    await db.travel('2 hours 1 minute')
    expect((await tick()).campaignsStarted).toBe(1)
    expect(await statusOf(draft)).toBe('RUNNING')
    expect(await ledgerOf(draft)).toMatchObject({ emails: { SCHEDULED: 5 } })
  })

  test.each([
    ['has passed', '-1 day', 'in-the-past'],
    ['is years away', '8000 years', 'too-far-ahead'],
  ])('for a time that %s is refused, and nothing starts', async (_, ahead, code) => {
    const draft = await makeDraft(db.pool, 1, [0])
    const { rows } = await db.pool.query<{ at: Date }>('SELECT app_now() + $1::interval AS at', [ahead])
    await expect(launch(db.pool, draft, rows[0]?.at)).rejects.toMatchObject({ status: 400, code })
    expect(await statusOf(draft)).toBe('DRAFT')
  })
})

describe('enrolment', () => {
  test('blocks who lacks a field, plans the others, and frees them when it is filled', async () => {
    const { workspaceId } = await makeDraft(db.pool, 0, [0])
    const steps = [{ delayDays: 0, subject: 'Hi {{firstName}}', bodyText: 'of {{custom.plan}}', bodyHtml: '' }]
    const { id } = await inTransaction(db.pool, (tx) => createSequence(tx, workspaceId, { name: 'Named', steps }))
    const draft = await makeDraft(db.pool, 3, [], { workspaceId, sequenceId: id })
    expect((await ledgerOf(draft)).enrolments).toMatchObject({ BLOCKED: 3 })
    const [one, two, three] = draft.prospectIds
    const fill = (prospectId: string | undefined) =>
      db.pool.query(`UPDATE prospects SET first_name = 'Ann', custom_fields = '{"plan": "gold"}' WHERE id = $1`, [
        prospectId,
      ])
    await fill(one)
    await launch(db.pool, draft)
    await tick()
    expect((await ledgerOf(draft)).enrolments).toMatchObject({ BLOCKED: 2, ACTIVE: 1 })
    await fill(two)
    await inTransaction(db.pool, (tx) => recheckProspects(tx, workspaceId, [two ?? '']))
    expect((await ledgerOf(draft)).enrolments).toMatchObject({ BLOCKED: 1, PENDING: 1, ACTIVE: 1 })
    await fill(three)
    expect(await tick()).toMatchObject({ enrolmentsFreed: 1, emailsScheduled: 2 })
    const { rows } = await db.pool.query('SELECT DISTINCT reason FROM campaign_prospects WHERE campaign_id = $1', [
      draft.campaignId,
    ])
    expect(rows).toEqual([{ reason: null }])
    expect(await auditPlan(db.pool, workspaceId)).toEqual([])
  })

  test('twice is once, and prospects of another workspace are nobody', async () => {
    const draft = await makeDraft(db.pool, 4, [0])
    const other = await makeDraft(db.pool, 2, [0])
    expect(
      await inTransaction(db.pool, (tx) =>
        enrolProspects(tx, draft.workspaceId, draft.campaignId, [...draft.prospectIds, ...other.prospectIds]),
      ),
    ).toMatchObject({ enrolled: 0, already: 4, unknown: 2 })
  })
})

describe('the end', () => {
  test('a campaign of which nothing waits is sent; retrying, enrolling or nothing at all decides what comes', async () => {
    const draft = await makeDraft(db.pool, 6, [0, 1])
    await launch(db.pool, draft)
    await tick()
    await db.pool.query(
      `WITH failed AS (SELECT id FROM scheduled_emails WHERE campaign_id = $1 AND step_number = 2 LIMIT 1)
       UPDATE scheduled_emails SET status = 'SENDING', lease_token = 1, leased_by = 'w', leased_at = app_now(), lease_until = app_now() + interval '1 hour'
       WHERE id IN (SELECT id FROM failed)`,
      [draft.campaignId],
    )
    await sendEverything(draft)
    await tick()
    expect(await statusOf(draft)).toBe('RUNNING')
    const failed = await inTransaction(db.pool, async (tx) => {
      const { rows } = await tx.query<{ id: string }>(
        `UPDATE scheduled_emails SET status = 'FAILED', lease_until = NULL, leased_by = NULL, leased_at = NULL
         WHERE campaign_id = $1 AND status = 'SENDING' RETURNING id`,
        [draft.campaignId],
      )
      await tx.query(`UPDATE scheduled_emails SET status = 'PERMANENTLY_FAILED' WHERE status = 'FAILED'`)
      return rows.map(({ id }) => id)
    })
    expect((await tick()).campaignsClosed).toBe(1)
    expect(await statusOf(draft)).toBe('SENT')
    expect(await ledgerOf(draft)).toMatchObject({
      balances: true,
      enrolments: { FINISHED: 6 },
      emails: { SENT: 11, PERMANENTLY_FAILED: 1 },
      done: 1,
    })

    await inTransaction(db.pool, (tx) => retryFailed(tx, draft.workspaceId, failed))
    expect(await statusOf(draft)).toBe('RUNNING')
    expect((await ledgerOf(draft)).enrolments).toMatchObject({ FINISHED: 5, ACTIVE: 1 })
    await tick()
    expect(await statusOf(draft)).toBe('RUNNING')
    await inTransaction(db.pool, async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica')
      await tx.query(
        `UPDATE scheduled_emails SET status = 'SENT', sent_at = app_now(), next_retry_at = NULL, ready_at = NULL WHERE id = ANY($1)`,
        [failed],
      )
      await tx.query('SELECT recount_emails(), recount_people()')
    })
    await tick()
    expect(await statusOf(draft)).toBe('SENT')

    const more = await makeProspects(db.pool, draft.workspaceId, 2)
    await inTransaction(db.pool, (tx) => enrolProspects(tx, draft.workspaceId, draft.campaignId, more))
    expect(await statusOf(draft)).toBe('RUNNING')
    await tick()
    expect(await ledgerOf(draft)).toMatchObject({ balances: true, enrolments: { ACTIVE: 2 }, emails: { SCHEDULED: 4 } })
  })

  test('stopping is final: what waits is cancelled, nobody waits to be planned, nobody joins, nothing resumes', async () => {
    const draft = await makeDraft(db.pool, 60, [0, 2], { batchSize: 20 })
    await launch(db.pool, draft)
    await runTick(db.pool, 'test', silent, { planning: { leftMs: () => 0 } })
    await tick()
    const late = await makeProspects(db.pool, draft.workspaceId, 3)
    await inTransaction(db.pool, (tx) => enrolProspects(tx, draft.workspaceId, draft.campaignId, late))
    expect(await stop(draft)).toMatchObject({ cancelled: 120 })
    expect(await ledgerOf(draft)).toMatchObject({
      balances: true,
      enrolments: { FINISHED: 60, SKIPPED: 3, PENDING: 0 },
      emails: { CANCELLED: 120 },
    })
    expect(await stop(draft)).toMatchObject({ campaign: { status: 'STOPPED' }, cancelled: 0, isCleared: true })
    for (const verb of [pause, resume])
      await expect(verb(draft)).rejects.toMatchObject({ status: 409, message: expect.stringMatching(/final/) })
    await expect(
      inTransaction(db.pool, (tx) => enrolProspects(tx, draft.workspaceId, draft.campaignId, late)),
    ).rejects.toMatchObject({ status: 409 })
    expect(await archive(draft)).toMatchObject({ status: 'STOPPED', archivedAt: expect.any(Date) })
  })

  test('a stop that runs out of time holds at once, and the tick cancels the rest', async () => {
    const draft = await makeDraft(db.pool, 3_000, [0, 2], { batchSize: 1_000, settings: { daily_quota: 1_000 } })
    await launch(db.pool, draft)
    await tick()
    expect(await stop(draft, () => false)).toMatchObject({ cancelled: 5_000, isCleared: false })
    expect(await ledgerOf(draft)).toMatchObject({ balances: true, emails: { SCHEDULED: 1_000 } })
    await expect(resume(draft)).rejects.toMatchObject({ status: 409 })
    expect(await tick()).toMatchObject({ emailsCancelled: 1_000 })
    expect(await ledgerOf(draft)).toMatchObject({ enrolments: { FINISHED: 3_000 }, emails: { CANCELLED: 6_000 } })
    expect(await auditPlan(db.pool, draft.workspaceId)).toEqual([])
  })

  test('a running campaign is not archived', async () => {
    const draft = await makeDraft(db.pool, 1, [0])
    await launch(db.pool, draft)
    await expect(archive(draft)).rejects.toMatchObject({ status: 409 })
  })
})
