import { describe, expect, test } from 'vitest'
import { unpark } from '#lib/email-scheduler/effects/unpark.ts'
import { PlanningSession } from '#lib/email-scheduler/plan/planning-session.ts'
import { replanWorkspace } from '#lib/email-scheduler/plan/replan.ts'
import { explainWhyNotNow } from '#lib/email-scheduler/read/why-not-now.ts'
import { type ClaimedEmail, claimNext } from '#lib/email-scheduler/send/claim.ts'
import { holdSending, liftHold } from '#lib/email-scheduler/send/hold.ts'
import { mark } from '#lib/email-scheduler/send/mark.ts'
import { settle } from '#lib/email-scheduler/send/settle.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { always } from '#tests/support/data/drafts.ts'
import { type DueCampaign, makeDueCampaign } from '#tests/support/data/emails.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const WORKER = { worker: 'w', leaseMs: 60_000 }
const ALL_DAY = { window_start_minute: 0, window_end_minute: 0, sending_days: [1, 2, 3, 4, 5, 6, 7], time_zone: 'UTC' }
/** How much later than said it may be: what the statements of this test take. */
const SLACK_MS = 2_000

async function now(): Promise<Date> {
  const { rows } = await db.pool.query<{ now: Date }>('SELECT app_now() AS now')
  return rows[0]?.now ?? new Date(Number.NaN)
}

async function travelTo(at: Date): Promise<void> {
  const aheadMs = at.getTime() - (await now()).getTime()
  if (aheadMs > 0) await db.travel(`${aheadMs} milliseconds`)
}

async function ask(campaign: DueCampaign, id: string) {
  const answer = await explainWhyNotNow(db.pool, campaign.workspaceId, id)
  if (answer.kind !== 'waiting' || answer.firstFeasible === null) throw new Error(JSON.stringify(answer))
  return { at: answer.firstFeasible, names: answer.blockers.map(({ name }) => name), blockers: answer.blockers }
}

/** Everything that this campaign's mailboxes may send now, marked and accepted; answers the ids. */
async function sendDue(limit = 100): Promise<string[]> {
  const sent: string[] = []
  for (const resting: string[] = []; ; ) {
    const claim = await claimNext(db.pool, WORKER, limit, { except: resting })
    if (claim.kind === 'nothing') return sent
    if (claim.kind === 'resting') resting.push(claim.mailboxId)
    else {
      await handOver(claim.emails)
      sent.push(...claim.emails.map(({ id }) => id))
    }
  }
}

async function handOver(emails: ClaimedEmail[]): Promise<void> {
  await inTransaction(db.pool, async (tx) => {
    const marks = emails.map((email) => ({ ...email, content: null }))
    for (const { answer } of await mark(tx, marks, 1_000)) expect(answer).toBe('marked')
    await tx.query(
      'UPDATE mailboxes SET last_handed_over_at = app_now(), next_allowed_at = app_now() WHERE id = ANY($1)',
      [emails.map(({ mailboxId }) => mailboxId)],
    )
    const outcome = { kind: 'accepted', messageId: '<a@b.test>' } as const
    await settle(
      tx,
      emails.map((email) => ({ ...email, marked: true as const, outcome })),
    )
  })
}

/** Nothing goes before the time that is shown, and it goes at it. */
async function goesExactlyThen(campaign: DueCampaign, id: string, names: string[]): Promise<Date> {
  const shown = await ask(campaign, id)
  expect(shown.names).toEqual(names)
  expect(shown.at.getTime()).toBeGreaterThan((await now()).getTime())
  await travelTo(new Date(shown.at.getTime() - SLACK_MS))
  expect(await sendDue()).not.toContain(id)
  await travelTo(shown.at)
  expect(await sendDue()).toContain(id)
  return shown.at
}

const idOf = (campaign: DueCampaign, index: number) => campaign.emails[index]?.id ?? ''

async function alone(wanted: Parameters<typeof makeDueCampaign>[1]): Promise<DueCampaign> {
  await db.pool.query(`UPDATE campaigns SET status = 'STOPPED'`)
  return makeDueCampaign(db.pool, { ...wanted, settings: { ...ALL_DAY, ...wanted?.settings } })
}

/** Overdue, each a second after the one before, with a pause of its own. */
async function dueInOrder(campaign: DueCampaign): Promise<void> {
  for (const [index, { id }] of campaign.emails.entries())
    await db.pool.query(
      `UPDATE scheduled_emails SET ready_at = app_now() - interval '1 hour' + $2 * interval '1 second', jitter_seconds = 40 + 10 * $2 WHERE id = $1`,
      [id, index],
    )
}

describe('at the time that is shown, and not before, an email is claimed that waits', () => {
  test('for the time that the plan gave it', async () => {
    const campaign = await alone({ prospects: 1 })
    await db.pool.query(`UPDATE scheduled_emails SET ready_at = app_now() + interval '6 days' WHERE id = $1`, [
      idOf(campaign, 0),
    ])
    await goesExactlyThen(campaign, idOf(campaign, 0), ['planned-time'])
  })

  test('for its retry', async () => {
    const campaign = await alone({ prospects: 1 })
    await db.pool.query(
      `UPDATE scheduled_emails SET status = 'SENDING', lease_token = 1, leased_by = 'w', leased_at = app_now(), lease_until = app_now() WHERE id = $1`,
      [idOf(campaign, 0)],
    )
    await db.pool.query(
      `UPDATE scheduled_emails SET status = 'RETRY_SCHEDULED', next_retry_at = app_now() + interval '15 minutes',
         ready_at = app_now() + interval '15 minutes', leased_by = NULL, leased_at = NULL, lease_until = NULL WHERE id = $1`,
      [idOf(campaign, 0)],
    )
    await goesExactlyThen(campaign, idOf(campaign, 0), ['retry-time'])
  })

  test.each([
    ['workspace-quota', { settings: { daily_quota: 2 } }],
    ['mailbox-limit', { limits: { dailyLimit: 2 } }],
    ['mailbox-limit', { settings: { ramp_up_enabled: true, ramp_up_start: 2, ramp_up_increment: 0 } }],
  ] as const)('for a place in the %s, also two days on (%j)', async (name, wanted) => {
    const campaign = await alone({ prospects: 6, ...wanted })
    await dueInOrder(campaign)
    expect(await sendDue()).toHaveLength(2)
    const { at } = await ask(campaign, idOf(campaign, 5))
    const next = await goesExactlyThen(campaign, idOf(campaign, 2), [name])
    expect(at.getTime() - next.getTime()).toBe(86_400_000)
    await goesExactlyThen(campaign, idOf(campaign, 5), [name])
  })

  test('for the warm-up, which grows with each date', async () => {
    const settings = { ramp_up_enabled: true, ramp_up_start: 1, ramp_up_increment: 2 }
    const campaign = await alone({ prospects: 5, settings })
    await dueInOrder(campaign)
    const shown = await ask(campaign, idOf(campaign, 4))
    expect(shown.names).toEqual(['turn'])
    expect(await sendDue()).toEqual([idOf(campaign, 0)])
    await travelTo((await ask(campaign, idOf(campaign, 1))).at)
    expect(await sendDue()).toHaveLength(3)
    expect(await goesExactlyThen(campaign, idOf(campaign, 4), ['mailbox-limit'])).toEqual(shown.at)
  })

  test('for the limit of any 24 hours', async () => {
    const campaign = await alone({ prospects: 4, limits: { rollingLimit: 2 } })
    await dueInOrder(campaign)
    expect(await sendDue(1)).toHaveLength(2)
    await goesExactlyThen(campaign, idOf(campaign, 2), ['rolling-24h'])
    await sendDue()
  })

  test('for the pause after the email before it, its own and not the shortest', async () => {
    const campaign = await alone({ prospects: 2, settings: { jitter_min_seconds: 30, jitter_max_seconds: 90 } })
    await dueInOrder(campaign)
    expect(await sendDue()).toEqual([idOf(campaign, 0)])
    await goesExactlyThen(campaign, idOf(campaign, 1), ['spacing', 'turn'])
  })

  test('for its turn behind others, each with its pause', async () => {
    const campaign = await alone({ prospects: 4, settings: { jitter_min_seconds: 30, jitter_max_seconds: 90 } })
    await dueInOrder(campaign)
    const began = await now()
    const shown = await ask(campaign, idOf(campaign, 3))
    expect(shown.names).toEqual(['turn'])
    expect(shown.blockers[0]?.sentence).toMatch(/^3 emails of \S+ go before it; its turn comes /)
    expect(shown.at.getTime() - began.getTime()).toBeLessThan(180_000 + SLACK_MS)
    expect(shown.at.getTime() - began.getTime()).toBeGreaterThanOrEqual(180_000)
    for (const index of [0, 1, 2]) {
      await travelTo((await ask(campaign, idOf(campaign, index))).at)
      expect(await sendDue()).toEqual([idOf(campaign, index)])
    }
    const last = await goesExactlyThen(campaign, idOf(campaign, 3), ['spacing', 'turn'])
    expect(last.getTime() - shown.at.getTime()).toBeLessThan(SLACK_MS)
  })

  test('for its turn among campaigns: those with more do not come first', async () => {
    const campaign = await alone({ prospects: 20, limits: { dailyLimit: 4 } })
    await dueInOrder(campaign)
    const small = { ...campaign, ...(await makeDueCampaign(db.pool, { in: campaign, prospects: 3 })) }
    await dueInOrder(small)
    const shown = await ask(small, idOf(small, 2))
    expect(await sendDue()).toHaveLength(4)
    expect(await goesExactlyThen(small, idOf(small, 2), ['mailbox-limit'])).toEqual(shown.at)
  })

  test('for its mailbox, which pauses', async () => {
    const campaign = await alone({ prospects: 1 })
    await db.pool.query(
      `UPDATE mailboxes SET fault_until = app_now() + interval '5 minutes', deferred_until = app_now() + interval '3 hours' WHERE id = $1`,
      campaign.mailboxIds,
    )
    await goesExactlyThen(campaign, idOf(campaign, 0), ['mailbox-not-deferred'])
  })

  test('for the window, and for a place on a date with one', async () => {
    const campaign = await alone({ prospects: 2, limits: { dailyLimit: 1 } })
    await dueInOrder(campaign)
    await db.pool.query(
      `UPDATE sending_settings SET days_off = ARRAY[(app_now() AT TIME ZONE 'UTC')::date, (app_now() AT TIME ZONE 'UTC')::date + 2],
         window_start_minute = 540, window_end_minute = 600 WHERE workspace_id = $1`,
      [campaign.workspaceId],
    )
    const shown = await ask(campaign, idOf(campaign, 1))
    const first = await goesExactlyThen(campaign, idOf(campaign, 0), ['sending-window'])
    expect(shown.at.getTime() - first.getTime()).toBe(2 * 86_400_000)
    expect(await goesExactlyThen(campaign, idOf(campaign, 1), ['mailbox-limit'])).toEqual(shown.at)
  })
})

/** What only a person or an event lifts shows no time; once it is lifted, it goes at the time that is shown then. */
async function goesOnceCured(campaign: DueCampaign, id: string, name: string, cure: () => Promise<unknown>) {
  const answer = await explainWhyNotNow(db.pool, campaign.workspaceId, id)
  expect(answer).toMatchObject({ blockers: expect.arrayContaining([expect.objectContaining({ name })]) })
  expect(answer).toMatchObject({ firstFeasible: null })
  expect(await sendDue()).not.toContain(id)
  await cure()
  const shown = await ask(campaign, id)
  expect(shown.names).not.toContain(name)
  await travelTo(new Date(shown.at.getTime() - SLACK_MS))
  if (shown.names.length > 0) expect(await sendDue()).not.toContain(id)
  await travelTo(shown.at)
  expect(await sendDue()).toContain(id)
}

describe('once its cure has come, an email is claimed at the time that is shown then, that was held by', () => {
  const half = { settings: { jitter_min_seconds: 30, jitter_max_seconds: 90 } }
  const set = (sql: string, ...values: unknown[]) => db.pool.query(sql, values)
  const parked = (id: string, guard: string) =>
    set(`UPDATE scheduled_emails SET blocker = $2, ready_at = NULL WHERE id = $1`, id, guard)
  const lifted = (campaign: DueCampaign, cured: Parameters<typeof unpark>[2], guard: Parameters<typeof unpark>[3]) =>
    inTransaction(db.pool, (tx) => unpark(tx, campaign.workspaceId, cured, guard))

  test('a pause of its campaign', async () => {
    const campaign = await alone({ prospects: 2, ...half })
    await dueInOrder(campaign)
    await set(`UPDATE campaigns SET status = 'PAUSED' WHERE id = $1`, campaign.campaignId)
    await goesOnceCured(campaign, idOf(campaign, 1), 'campaign-running', async () => {
      await set(`UPDATE campaigns SET status = 'RUNNING' WHERE id = $1`, campaign.campaignId)
      expect(await sendDue()).toEqual([idOf(campaign, 0)])
    })
  })

  test('a pause of its person', async () => {
    const campaign = await alone({ prospects: 1 })
    const { id = '', prospectId = '' } = campaign.emails[0] ?? {}
    await set('UPDATE prospects SET paused_at = app_now() WHERE id = $1', prospectId)
    await parked(id, 'prospect-active')
    await goesOnceCured(campaign, id, 'prospect-active', async () => {
      await set('UPDATE prospects SET paused_at = NULL WHERE id = $1', prospectId)
      await lifted(campaign, { prospectIds: [prospectId] }, 'prospect-active')
    })
  })

  test('a field that its person lacks', async () => {
    const campaign = await alone({ prospects: 1 })
    const { id = '', prospectId = '' } = campaign.emails[0] ?? {}
    await set(`UPDATE sequence_steps SET body_text = 'To {{company}}' WHERE sequence_id = $1`, campaign.sequenceId)
    await parked(id, 'merge-fields-complete')
    await goesOnceCured(campaign, id, 'merge-fields-complete', async () => {
      await set(`UPDATE prospects SET company = 'Acme' WHERE id = $1`, prospectId)
      await lifted(campaign, { prospectIds: [prospectId] }, 'merge-fields-complete')
    })
  })

  test('a mailbox that was stopped', async () => {
    const campaign = await alone({ prospects: 1 })
    const [mailboxId = ''] = campaign.mailboxIds
    await set(`UPDATE mailboxes SET status = 'STOPPED', stopped_reason = 'x' WHERE id = $1`, mailboxId)
    await parked(idOf(campaign, 0), 'mailbox-connected')
    await goesOnceCured(campaign, idOf(campaign, 0), 'mailbox-connected', async () => {
      await set(`UPDATE mailboxes SET status = 'CONNECTED', stopped_reason = NULL WHERE id = $1`, mailboxId)
      await lifted(campaign, { mailboxId }, 'mailbox-connected')
    })
  })

  test('the step before it, and then the days between them', async () => {
    const campaign = await alone({ prospects: 1, delays: [0, 2] })
    const [first, second] = [idOf(campaign, 0), idOf(campaign, 1)]
    expect(await explainWhyNotNow(db.pool, campaign.workspaceId, second)).toMatchObject({
      ...{ blockers: [expect.objectContaining({ name: 'previous-step-sent' })], firstFeasible: null },
    })
    expect(await sendDue()).toEqual([first])
    await replanWorkspace(db.pool, campaign.workspaceId, { ...always, session: new PlanningSession() })
    await goesExactlyThen(campaign, second, ['previous-step-sent', 'planned-time'])
  })

  test('a hold on all sending', async () => {
    const campaign = await alone({ prospects: 1 })
    await holdSending(db.pool)
    await goesOnceCured(campaign, idOf(campaign, 0), 'sending-held', () => liftHold(db.pool, 'ann'))
  })
})

describe('without a time to show, it says what it waits for', () => {
  test('a hold on all sending', async () => {
    const campaign = await alone({ prospects: 1 })
    await holdSending(db.pool)
    const answer = await explainWhyNotNow(db.pool, campaign.workspaceId, idOf(campaign, 0))
    expect(await liftHold(db.pool, 'ann')).toBe(true)
    expect(answer).toMatchObject({ blockers: [{ name: 'sending-held' }], firstFeasible: null })
  })

  test('a plan that is being made', async () => {
    const campaign = await alone({ prospects: 1 })
    await db.pool.query('UPDATE scheduled_emails SET ready_at = NULL, plan_version = 0 WHERE id = $1', [
      idOf(campaign, 0),
    ])
    const answer = await explainWhyNotNow(db.pool, campaign.workspaceId, idOf(campaign, 0))
    expect(answer).toMatchObject({ blockers: [{ name: 'plan-pending' }], firstFeasible: null })
  })
})
