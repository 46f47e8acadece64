import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { changeProspect, type ProspectChange } from '#lib/audience/prospects/change-prospect.ts'
import { eraseProspect } from '#lib/audience/prospects/erase-prospect.ts'
import { mergeProspects } from '#lib/audience/prospects/merge-prospects.ts'
import { enrolProspects } from '#lib/campaigns/enrol.ts'
import { readLedger } from '#lib/campaigns/ledger.ts'
import { editSequence } from '#lib/email-scheduler/effects/edit-sequence.ts'
import { PlanningSession } from '#lib/email-scheduler/plan/planning-session.ts'
import { scheduleBatch } from '#lib/email-scheduler/plan/schedule-batch.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { type ClaimedEmail, claimByIds } from '#lib/email-scheduler/send/claim.ts'
import { mark } from '#lib/email-scheduler/send/mark.ts'
import { recover } from '#lib/email-scheduler/send/recover.ts'
import { settle } from '#lib/email-scheduler/send/settle.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { loadSequence } from '#lib/sequences/sequence.ts'
import { runTick } from '#lib/worker/tick.ts'
import { always, type Draft, launch, makeDraft, textOf } from '#tests/support/data/drafts.ts'
import { makeKey } from '#tests/support/data/keys.ts'
import { actor } from '#tests/support/data/people.ts'
import { auditPlan } from '#tests/support/data/plan-audit.ts'
import { type Audience, audienceOf, importFile, makeProspects } from '#tests/support/data/prospects.ts'
import { heldOpen, testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

// What happens to people while their campaign is planned, sent and recovered, on connections of their own.
const db = testDatabase()
const key = makeKey('test')
const LEASE_MS = 60_000

type Scene = { draft: Draft; audience: Audience }

async function running(prospects: number, delays: number[], batchSize: number): Promise<Scene> {
  const settings = { daily_quota: 10_000, jitter_min_seconds: 0, jitter_max_seconds: 0 }
  const limits = { dailyLimit: 5_000, rollingLimit: 10_000 }
  const draft = await makeDraft(db.pool, prospects, delays, { batchSize, settings, limits })
  const audience = await audienceOf(db.pool, draft.workspaceId, key)
  const addresses = draft.prospectIds.map(addressOf)
  await db.pool.query(
    `UPDATE prospects SET email = a.email, email_hash = a.hash
     FROM unnest($1::uuid[], $2::text[], $3::bytea[]) AS a(id, email, hash) WHERE prospects.id = a.id`,
    [draft.prospectIds, addresses, addresses.map(audience.hash)],
  )
  await launch(db.pool, draft)
  return { draft, audience }
}

const addressOf = (id: string) => `${id}@people.test`
const tick = () => runTick(db.pool, 'test', silent)
const schedule = ({ draft }: Scene) => scheduleEmailsForCampaign(db.pool, draft, always)

const change = (tx: Sql, { audience }: Scene, id: string, wanted: ProspectChange) =>
  changeProspect(tx, audience.workspaceId, audience.hash, id, wanted, actor, audience.consequences)

/** How a person leaves, by the product's own verbs, and the reason that their emails then give. */
const LEAVING: Record<
  'archived' | 'unsubscribed' | 'erased' | 'merged',
  (tx: Sql, scene: Scene, id: string) => Promise<unknown>
> = {
  archived: (tx: Sql, scene: Scene, id: string) => change(tx, scene, id, { archived: true }),
  unsubscribed: (tx: Sql, scene: Scene, id: string) => change(tx, scene, id, { unsubscribed: true }),
  erased: (tx: Sql, { audience }: Scene, id: string) =>
    eraseProspect(tx, audience.workspaceId, id, actor, audience.consequences),
  merged: async (tx: Sql, { audience }: Scene, id: string) => {
    const [winnerId = ''] = await makeProspects(tx, audience.workspaceId, 1)
    return mergeProspects(tx, audience.workspaceId, { winnerId, loserId: id }, actor, audience.consequences)
  },
}
const WAYS = Object.keys(LEAVING) as (keyof typeof LEAVING)[]

const emailsOf = async (prospectId: string) => {
  const { rows } = await db.pool.query<{ id: string; status: string; reason: string | null }>(
    'SELECT id, status, cancel_reason AS reason FROM scheduled_emails WHERE prospect_id = $1 ORDER BY step_number',
    [prospectId],
  )
  return rows
}

/** Both ledgers, and nothing waits for anybody who has left. */
async function expectSound({ draft }: Scene): Promise<void> {
  expect(await readLedger(db.pool, draft.campaignId)).toMatchObject({ balances: true })
  const { rows: uneven } = await db.pool.query(
    `SELECT cp.id, cp.state, cp.planned_steps, count(e.id) FROM campaign_prospects cp
     LEFT JOIN scheduled_emails e ON e.campaign_prospect_id = cp.id
     WHERE cp.campaign_id = $1 GROUP BY cp.id HAVING count(e.id) <> cp.planned_steps`,
    [draft.campaignId],
  )
  expect(uneven).toEqual([])
  const { rows: stranded } = await db.pool.query(
    `SELECT e.id, e.status, p.archived_at, p.erased_at, p.unsubscribed_at FROM scheduled_emails e JOIN prospects p ON p.id = e.prospect_id
     WHERE e.campaign_id = $1 AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED')
       AND num_nonnulls(p.archived_at, p.erased_at, p.unsubscribed_at, p.merged_into_id) > 0`,
    [draft.campaignId],
  )
  expect(stranded).toEqual([])
}

test.each(WAYS)(
  'who is %s while their batch commits: it waits for the batch, and then finds its emails',
  async (way) => {
    const scene = await running(10, [0, 2], 10)
    const { workspaceId, campaignId, prospectIds } = scene.draft
    const [leaver = ''] = prospectIds
    const batch = await heldOpen(db.pool, (tx) =>
      scheduleBatch(tx, new PlanningSession(), { workspaceId, id: campaignId }, silent),
    )
    const leaving = inTransaction(db.pool, (tx) => LEAVING[way](tx, scene, leaver))
    await sleep(50)
    await batch.commit()
    await leaving
    expect(await emailsOf(leaver)).toMatchObject(
      [1, 2].map(() => ({ status: 'CANCELLED', reason: `PROSPECT_${way.toUpperCase()}` })),
    )
    await tick()
    await expectSound(scene)
    expect(await auditPlan(db.pool, workspaceId)).toEqual([])
    expect((await readLedger(db.pool, campaignId)).enrolments).toMatchObject({ ACTIVE: 9, FINISHED: 1 })
  },
)

test.each(WAYS)('who is %s just before their batch: it waits, and plans nothing for them', async (way) => {
  const scene = await running(10, [0, 2], 10)
  const [leaver = ''] = scene.draft.prospectIds
  const leaving = await heldOpen(db.pool, (tx) => LEAVING[way](tx, scene, leaver))
  const scheduling = schedule(scene)
  await sleep(50)
  await leaving.commit()
  expect(await scheduling).toMatchObject({ scheduled: 18, errors: [] })
  expect(await emailsOf(leaver)).toEqual([])
  await expectSound(scene)
  expect((await readLedger(db.pool, scene.draft.campaignId)).enrolments).toMatchObject({ ACTIVE: 9, SKIPPED: 1 })
})

const claim = (ids: readonly string[], leaseMs = LEASE_MS) =>
  inTransaction(db.pool, (tx) => claimByIds(tx, ids, { worker: 'w', leaseMs }))
const later = { kind: 'retry', scope: 'domain', code: 'GREYLISTED', reason: 'Later, please.' } as const
const settleLater = (tx: Sql, emails: ClaimedEmail[]) =>
  settle(
    tx,
    emails.map((email) => ({ ...email, marked: true as const, outcome: later })),
  )

test.each(WAYS)('who is %s while a failure of theirs settles: nothing is tried again', async (way) => {
  for (const first of ['settle', 'leave'] as const) {
    const scene = await running(4, [0, 2], 10)
    await schedule(scene)
    const [leaver = ''] = scene.draft.prospectIds
    const [email] = await emailsOf(leaver)
    await db.pool.query('UPDATE scheduled_emails SET ready_at = app_now() WHERE id = $1', [email?.id])
    const held = await claim([email?.id ?? ''])
    await inTransaction(db.pool, (tx) => mark(tx, held, 1_000))
    const works = {
      settle: (tx: Sql) => settleLater(tx, held),
      leave: (tx: Sql) => LEAVING[way](tx, scene, leaver),
    }
    const one = await heldOpen(db.pool, works[first])
    const other = inTransaction<unknown>(db.pool, works[first === 'settle' ? 'leave' : 'settle'])
    await sleep(50)
    await one.commit()
    await other
    expect((await emailsOf(leaver)).map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED'])
    await tick()
    await expectSound(scene)
  }
})

test.each(WAYS)('who is %s while a lost lease is recovered: nothing goes back into the queue', async (way) => {
  for (const first of ['recover', 'leave'] as const) {
    const scene = await running(4, [0, 2], 10)
    await schedule(scene)
    const [leaver = ''] = scene.draft.prospectIds
    const [email] = await emailsOf(leaver)
    await db.pool.query('UPDATE scheduled_emails SET ready_at = app_now() WHERE id = $1', [email?.id])
    await claim([email?.id ?? ''], 0)
    const works = {
      recover: (tx: Sql) => recover(tx, 100),
      leave: (tx: Sql) => LEAVING[way](tx, scene, leaver),
    }
    const one = await heldOpen(db.pool, works[first])
    const other = inTransaction<unknown>(db.pool, works[first === 'recover' ? 'leave' : 'recover'])
    await sleep(50)
    await one.commit()
    await other
    await tick()
    await inTransaction(db.pool, (tx) => recover(tx, 100))
    expect((await emailsOf(leaver)).map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED'])
    await expectSound(scene)
  }
})

test('an archived prospect that is imported again while its campaign is planned is planned once or skipped', async () => {
  for (let round = 0; round < 4; round += 1) {
    const scene = await running(60, [0, 2], 7)
    const { campaignId, prospectIds } = scene.draft
    const away = prospectIds.filter((_, index) => index % 3 === 0)
    for (const id of away) await inTransaction(db.pool, (tx) => LEAVING.archived(tx, scene, id))
    const file = `email\n${away.map(addressOf).toReversed().join('\n')}\n`
    const [, report] = await Promise.all([
      schedule(scene),
      importFile(db.pool, scene.audience, file, { columns: [{ to: 'email' }] }),
      tick(),
    ])
    expect(report).toMatchObject({ revived: 20 })
    await tick()
    await expectSound(scene)
    // A person who was skipped is enrolled anew by a campaign that wants them back, under the same keys.
    const enrol = (tx: Sql) => enrolProspects(tx, scene.draft.workspaceId, campaignId, away)
    const { enrolled, already } = await inTransaction(db.pool, enrol)
    expect(enrolled + already).toBe(20)
    await tick()
    expect(await readLedger(db.pool, campaignId)).toMatchObject({ enrolments: { ACTIVE: 60 }, emails: { total: 120 } })
    expect(await auditPlan(db.pool, scene.draft.workspaceId)).toEqual([])
  }
})

test('a batch takes prospects in the order in which everybody takes several, whatever the order of its enrolments', async () => {
  const scene = await running(1, [0], 10)
  const { workspaceId, sequenceId, campaignId } = scene.draft
  const prospectIds = (await makeProspects(db.pool, workspaceId, 2)).toSorted()
  for (const id of prospectIds.toReversed()) {
    await inTransaction(db.pool, (tx) => enrolProspects(tx, workspaceId, campaignId, [id]))
    await sleep(2)
  }
  /** Takes both, the second while the other side is at work: which must then be waiting for the first, with empty hands. */
  async function besideOneWhoTakesBoth(work: () => Promise<unknown>): Promise<void> {
    const both = await db.pool.connect()
    await both.query('BEGIN')
    const take = (id: string | undefined) => both.query('SELECT FROM prospects WHERE id = $1 FOR NO KEY UPDATE', [id])
    await take(prospectIds[0])
    const working = work()
    await sleep(100)
    await Promise.all([take(prospectIds[1]).then(() => both.query('COMMIT')), working]).finally(() =>
      both.release(true),
    )
  }
  await besideOneWhoTakesBoth(() => schedule(scene))
  expect(await readLedger(db.pool, campaignId)).toMatchObject({ emails: { total: 3 } })
  const { steps } = await loadSequence(db.pool, workspaceId, sequenceId)
  const longer = { steps: [...steps, { ...textOf(1) }] }
  await inTransaction(db.pool, (tx) => editSequence(tx, workspaceId, sequenceId, longer, actor))
  await besideOneWhoTakesBoth(tick)
  expect(await readLedger(db.pool, campaignId)).toMatchObject({ balances: true, emails: { total: 6 } })
})

test('an import of thousands and the planning of the same people wait for each other and do not deadlock', async () => {
  const scene = await running(3_000, [0, 2], 60)
  const lines = scene.draft.prospectIds.map((id, index) => `${addressOf(id)},Name${index}`)
  const columns = [{ to: 'email' }, { to: 'firstName' }]
  const imports = [lines, lines.toReversed(), lines.toSorted()].map((some) =>
    importFile(db.pool, scene.audience, `email,name\n${some.join('\n')}\n`, { columns }),
  )
  const [planned, ...reports] = await Promise.all([schedule(scene), ...imports, tick(), tick()])
  expect(planned).toMatchObject({ errors: [], remaining: 0 })
  expect(reports.slice(0, 3)).toMatchObject(imports.map(() => ({ updated: 3_000 })))
  await expectSound(scene)
  expect(await auditPlan(db.pool, scene.draft.workspaceId)).toEqual([])
})

test('whatever people do while a campaign is planned, sent, settled and recovered, its ledgers balance and nothing is stranded', async () => {
  for (let round = 0; round < 3; round += 1) {
    const scene = await running(160, [0, 0], 8)
    const { campaignId, prospectIds } = scene.draft
    let over = false
    const worker = async () => {
      while (!over) {
        const { rows } = await db.pool.query<{ id: string }>(
          `SELECT id FROM scheduled_emails WHERE campaign_id = $1 AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND step_number = 1
           ORDER BY random() LIMIT 6`,
          [campaignId],
        )
        await db.pool.query(
          `UPDATE scheduled_emails SET ready_at = app_now() WHERE id = ANY($1::uuid[]) AND status = 'SCHEDULED'`,
          [rows.map(({ id }) => id)],
        )
        const held = await claim(
          rows.map(({ id }) => id),
          40,
        )
        const marked = await inTransaction(db.pool, (tx) => mark(tx, held, 0))
        await sleep(Math.random() * 80)
        const mine = held.filter(({ id }) => marked.some((answer) => answer.id === id && answer.answer === 'marked'))
        await inTransaction(db.pool, (tx) => settleLater(tx, mine))
      }
    }
    const recovery = async () => {
      while (!over) {
        await inTransaction(db.pool, (tx) => recover(tx, 10))
        await sleep(5)
      }
    }
    const people = async () => {
      for (const [index, id] of prospectIds.entries()) {
        const way = WAYS[index % 8]
        if (way) await inTransaction(db.pool, (tx) => LEAVING[way](tx, scene, id))
        else if (index % 8 === 4) {
          await inTransaction(db.pool, (tx) => change(tx, scene, id, { paused: true }))
          await inTransaction(db.pool, (tx) => change(tx, scene, id, { paused: false, firstName: 'Ann' }))
        }
        // People who were archived come back with an import, some of them, in the middle of it all.
        if (index % 40 === 39) {
          const file = `email\n${prospectIds
            .slice(index - 39, index)
            .map(addressOf)
            .toReversed()
            .join('\n')}\n`
          await importFile(db.pool, scene.audience, file, { columns: [{ to: 'email' }] })
        }
      }
    }
    const background = [worker(), worker(), recovery()]
    await Promise.all([schedule(scene), people(), tick(), tick()]).finally(() => {
      over = true
    })
    await Promise.all(background)
    await db.travel('1 hour')
    await inTransaction(db.pool, (tx) => recover(tx, 1_000))
    await tick()
    await expectSound(scene)
    const { enrolments, emails } = await readLedger(db.pool, campaignId)
    expect(enrolments).toMatchObject({ PENDING: 0, total: 160 })
    expect([emails.SENDING, emails.FAILED]).toEqual([0, 0])
    expect(emails.CANCELLED).toBeGreaterThan(0)
  }
})
