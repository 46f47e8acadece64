import { describe, expect, test } from 'vitest'
import { claimActions } from '#lib/actions/claim.ts'
import { sweepAll } from '#lib/actions/run/sweep.ts'
import { scheduleActions } from '#lib/actions/schedule.ts'
import { lockOwnActions, markError, settleActions } from '#lib/actions/settle.ts'
import { recoverActions } from '#lib/actions/take-back.ts'
import { changeCampaign } from '#lib/campaigns/draft.ts'
import { wakeCampaigns } from '#lib/campaigns/finish.ts'
import { pauseCampaign, resumeCampaign } from '#lib/campaigns/move.ts'
import { stopCampaign } from '#lib/email-scheduler/effects/stop-campaign.ts'
import { readMetrics } from '#lib/operations/metrics.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { branchingOn, first } from '#tests/support/actions/branching-on.ts'
import { branch, email, FORK, makeBranching, wait } from '#tests/support/data/branching.ts'
import { type Draft, launch, makeDraft } from '#tests/support/data/drafts.ts'
import { actor } from '#tests/support/data/people.ts'
import { endWaiting, heldOpen, testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const on = branchingOn(db)

const oneAction = async (draft: Draft, key: string, due = 'now') => {
  const [enrolmentId = ''] = await on.enrolmentsOf(draft)
  const { workspaceId, campaignId } = draft
  const dueAt = due === 'now' ? undefined : new Date(due)
  const action = { type: 'CANCEL', dedupeKey: key, dueAt, campaignId, enrolmentId, prospectId: first(draft) } as const
  return inTransaction(db.pool, (tx) => scheduleActions(tx, workspaceId, [action]))
}

const read = async (key: string) =>
  (
    await db.pool.query<{ status: string; attempts: number; reason: string | null; tries: number }>(
      `SELECT status, attempts, reason, (SELECT count(*)::int FROM action_attempts t WHERE t.action_id = a.id) AS tries
       FROM scheduled_actions a WHERE dedupe_key = $1`,
      [key],
    )
  ).rows[0]

describe('seed 004, its acceptance criteria', () => {
  test('“scheduled_actions read/write flow implemented”: a start is an action, and it starts the campaign once', async () => {
    const draft = await makeDraft(db.pool, 1, [0])
    const { rows } = await db.pool.query<{ at: Date }>(`SELECT app_now() + interval '1 hour' AS at`)
    await launch(db.pool, draft, rows[0]?.at)
    expect(await on.actionsOf(draft)).toEqual(['START_CAMPAIGN PENDING'])
    expect((await on.tick()).campaignsStarted).toBe(0)
    await db.travel('61 minutes')
    const started = await Promise.all([on.tick(), on.tick(), on.tick()])
    expect(started.map(({ campaignsStarted }) => campaignsStarted).sort()).toEqual([0, 0, 1])
    expect(await on.actionsOf(draft)).toEqual(['START_CAMPAIGN COMPLETED'])
  })

  test('“New actions created when plans are activated/transitioned”: each place that a person comes to has its own', async () => {
    const draft = await makeBranching(
      db.pool,
      [email(1), wait('w', 1), branch('b', 'CUSTOM', 3, [email(2)], [], 'bought')],
      {
        steps: 2,
      },
    )
    expect(await on.actionsOf(draft)).toEqual([])
    await on.sendAndMove()
    expect(await on.actionsOf(draft)).toEqual(['MOVE_ON COMPLETED', 'WAIT PENDING'])
    await db.travel('1 day 1 minute')
    await on.tick()
    expect(await on.actionsOf(draft)).toEqual(['MOVE_ON COMPLETED', 'WAIT COMPLETED', 'TIMEOUT PENDING'])
  })

  test('“Before enqueue, insert row; if unique violation occurs, treat as already scheduled”', async () => {
    const draft = await makeDraft(db.pool, 1, [0])
    expect(await oneAction(draft, 'once')).toBe(1)
    expect(await Promise.all([oneAction(draft, 'once'), oneAction(draft, 'once')])).toEqual([0, 0])
    const { rows } = await db.pool.query(`SELECT FROM scheduled_actions WHERE dedupe_key = 'once'`)
    expect(rows).toHaveLength(1)
    expect(await readMetrics(db.pool)).toMatch(/sendonce_actions_deduplicated\{type="CANCEL"\} [2-9]/)
  })

  test('“Atomic claim/complete/cancel semantics; retries are safe”: of eight who claim together, one has it', async () => {
    const draft = await makeDraft(db.pool, 1, [0])
    await oneAction(draft, 'claimed')
    const eightClaim = async () =>
      (await Promise.all(Array.from({ length: 8 }, (_, n) => claimActions(db.pool, `w${n}`, 'people'))))
        .flat()
        .filter(({ campaignId }) => campaignId === draft.campaignId)
    // What another transaction has in hand is waited for by none of them: they would all have it, one after another.
    const inHand = await heldOpen(db.pool, (tx) =>
      tx.query('SELECT FROM scheduled_actions WHERE campaign_id = $1 FOR UPDATE', [draft.campaignId]),
    )
    let haveAnswered = false
    const early = eightClaim().finally(() => {
      haveAnswered = true
    })
    await expect.poll(async () => haveAnswered || (await endWaiting(db.pool, false)) === 8).toBe(true)
    await inHand.commit()
    const claimed = [...(await early), ...(await eightClaim())]
    expect(claimed).toHaveLength(1)
    const [mine] = claimed
    if (!mine) throw new Error('nobody has it')
    // The worker is lost, another takes it, and the first comes back: it is not its any more.
    await db.travel('3 minutes')
    expect(await recoverActions(db.pool)).toBeGreaterThan(0)
    const [other] = (await claimActions(db.pool, 'other', 'people')).filter(
      ({ campaignId }) => campaignId === draft.campaignId,
    )
    const settle = (action: typeof mine) =>
      inTransaction(db.pool, async (tx) => {
        const own = await lockOwnActions(tx, [action])
        await settleActions(
          tx,
          own.map((one) => ({ action: one, verdict: { kind: 'done' } })),
        )
        return own.length
      })
    expect(await settle(mine)).toBe(0)
    await markError(db.pool, [mine], 'late')
    expect(await read('claimed')).toMatchObject({ status: 'RUNNING', attempts: 1 })
    expect(other && (await settle(other))).toBe(1)
    expect(await read('claimed')).toEqual({ status: 'COMPLETED', attempts: 1, reason: null, tries: 2 })
  })

  test('“Worker must mark action completed or error”: tried again by the policy, then dead with a reason, attempts kept', async () => {
    const draft = await makeDraft(db.pool, 1, [0])
    await oneAction(draft, 'failing')
    for (let tries = 1; tries <= 6; tries += 1) {
      const [action] = (await claimActions(db.pool, 'w', 'people')).filter(
        ({ campaignId }) => campaignId === draft.campaignId,
      )
      expect(action, `attempt ${tries}`).toBeDefined()
      if (action) await markError(db.pool, [action], 'no such luck')
      await db.travel('7 hours')
    }
    expect(await read('failing')).toEqual({ status: 'DEAD', attempts: 6, reason: 'FAILED_TOO_OFTEN', tries: 6 })
  })

  test('“Rebuild sweep on startup enqueues missed or unqueued pending actions”, and is “safe to re-run”', async () => {
    const draft = await on.sent(FORK, { people: 3 })
    // As if their rows had never been written.
    await inTransaction(db.pool, async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica')
      await tx.query('DELETE FROM scheduled_actions WHERE campaign_id = $1', [draft.campaignId])
    })
    expect(await sweepAll(db.pool, silent)).toBe(3)
    expect(await sweepAll(db.pool, silent)).toBe(0)
    expect(await on.actionsOf(draft)).toEqual(Array(3).fill('TIMEOUT PENDING'))
    await db.travel('3 days 1 minute')
    await on.tick()
    expect(await on.stepsOf(draft)).toBe('1 SENT, 3 SCHEDULED, 4 SCHEDULED')
  })

  test('an end of a campaign that was lost, and is overdue, is found by the sweep and done; one that is done is not set again', async () => {
    const draft = await on.make()
    const end = async (interval: string) =>
      inTransaction(db.pool, async (tx) => {
        await tx.query('SET LOCAL session_replication_role = replica')
        await tx.query('DELETE FROM scheduled_actions WHERE campaign_id = $1', [draft.campaignId])
        await tx.query('UPDATE campaigns SET ends_at = app_now() + $2::interval WHERE id = $1', [
          draft.campaignId,
          interval,
        ])
      })
    await end('-1 hour')
    expect((await wakeCampaigns(db.pool)).mayLack).toBe(true)
    expect(await sweepAll(db.pool, silent)).toBe(1)
    await on.tick()
    const statusOf = async () =>
      (await db.pool.query('SELECT status FROM campaigns WHERE id = $1', [draft.campaignId])).rows[0]?.status
    expect([await statusOf(), await on.actionsOf(draft, 'END_CAMPAIGN')]).toEqual([
      'STOPPED',
      ['END_CAMPAIGN COMPLETED'],
    ])
    // One that had been sent by its end had nothing to stop, and a person has set something going in it since.
    const later = await on.make()
    await db.pool.query(`UPDATE campaigns SET ends_at = app_now() - interval '1 hour' WHERE id = $1`, [
      later.campaignId,
    ])
    await db.pool.query(
      `INSERT INTO scheduled_actions (workspace_id, type, status, dedupe_key, due_at, campaign_id, ended_at)
       SELECT workspace_id, 'END_CAMPAIGN', 'COMPLETED', 'end', ends_at, id, app_now() FROM campaigns WHERE id = $1`,
      [later.campaignId],
    )
    expect(await sweepAll(db.pool, silent)).toBe(0)
  })

  test('“Indexes defined”: a key is unique in its workspace, and free in another', async () => {
    const [one, other] = [await makeDraft(db.pool, 1, [0]), await makeDraft(db.pool, 1, [0])]
    expect([await oneAction(one, 'same'), await oneAction(other, 'same'), await oneAction(one, 'same')]).toEqual([
      1, 1, 0,
    ])
  })
})

describe('seed 004, its cancellation semantics', () => {
  test('“On state transitions, cancel irrelevant timeouts for previous node”', async () => {
    const draft = await on.sent()
    await on.happens(draft)
    await on.tick()
    expect(await on.actionsOf(draft, 'TIMEOUT')).toEqual(['TIMEOUT CANCELLED LEFT_NODE'])
  })

  test('“On campaign stop/completion, cancel all pending actions”', async () => {
    const draft = await on.sent(FORK, { people: 2 })
    await stopCampaign(db.pool, draft.workspaceId, draft.campaignId, actor, () => true)
    expect(await on.actionsOf(draft, 'TIMEOUT')).toEqual(Array(2).fill('TIMEOUT CANCELLED CAMPAIGN_STOPPED'))
    expect(await on.standsAt(draft)).toBe('ENDED CAMPAIGN_STOPPED')
    await db.travel('4 days')
    await on.tick()
    expect(await on.stepsOf(draft)).toBe('1 SENT')
  })

  test('a time-out that a worker holds while the campaign is stopped moves nobody', async () => {
    const draft = await on.sent()
    await db.travel('3 days 1 minute')
    const held = await claimActions(db.pool, 'w', 'people')
    await stopCampaign(db.pool, draft.workspaceId, draft.campaignId, actor, () => true)
    const own = await inTransaction(db.pool, (tx) =>
      lockOwnActions(
        tx,
        held.filter(({ campaignId }) => campaignId === draft.campaignId),
      ),
    )
    expect(own).toEqual([])
  })

  test('the end of a campaign is an action: it stops it then, and taking it back cancels it', async () => {
    const draft = await on.make()
    const { rows } = await db.pool.query<{ at: Date }>(`SELECT app_now() + interval '1 hour' AS at`)
    const change = (endsAt: Date | null) =>
      inTransaction(db.pool, (tx) => changeCampaign(tx, draft.workspaceId, draft.campaignId, { endsAt }, actor))
    await change(rows[0]?.at ?? null)
    await change(null)
    await change(rows[0]?.at ?? null)
    expect(await on.actionsOf(draft)).toEqual(['END_CAMPAIGN CANCELLED BY_PERSON', 'END_CAMPAIGN PENDING'])
    await db.travel('61 minutes')
    await on.tick()
    const { rows: after } = await db.pool.query('SELECT status FROM campaigns WHERE id = $1', [draft.campaignId])
    expect(after).toEqual([{ status: 'STOPPED' }])
    expect(await on.stepsOf(draft)).toBe('1 CANCELLED')
  })

  test('a pause before the start takes it back, and a resume sets it again, under another key', async () => {
    const draft = await makeDraft(db.pool, 1, [0])
    const { rows } = await db.pool.query<{ at: Date }>(`SELECT app_now() + interval '1 hour' AS at`)
    await launch(db.pool, draft, rows[0]?.at)
    for (const verb of [pauseCampaign, resumeCampaign])
      await inTransaction(db.pool, (tx) => verb(tx, draft.workspaceId, draft.campaignId, actor))
    expect(await on.actionsOf(draft)).toEqual(['START_CAMPAIGN CANCELLED CAMPAIGN_PAUSED', 'START_CAMPAIGN PENDING'])
  })
})

describe('pausing', () => {
  const pausedFor = async (draft: Draft, interval: string) => {
    await inTransaction(db.pool, (tx) => pauseCampaign(tx, draft.workspaceId, draft.campaignId, actor))
    await db.travel(interval)
    await on.tick()
    const while_ = await on.standsAt(draft)
    await inTransaction(db.pool, (tx) => resumeCampaign(tx, draft.workspaceId, draft.campaignId, actor))
    await on.tick()
    return while_
  }

  test('holds the clock, where nothing else was chosen: what was left of a wait is left after it', async () => {
    const draft = await on.sent()
    await db.travel('1 day')
    expect(await pausedFor(draft, '5 days')).toBe('BRANCH b')
    expect(await on.standsAt(draft)).toBe('BRANCH b')
    await db.travel('1 day 23 hours')
    await on.tick()
    expect(await on.standsAt(draft)).toBe('BRANCH b')
    await db.travel('61 minutes')
    await on.tick()
    expect(await on.stepsOf(draft)).toBe('1 SENT, 3 SCHEDULED, 4 SCHEDULED')
  })

  test('lets the clock run where that was chosen: the branch is decided, and nothing is sent', async () => {
    const draft = await on.make()
    await inTransaction(db.pool, (tx) =>
      changeCampaign(tx, draft.workspaceId, draft.campaignId, { pauseHoldsClock: false }, actor),
    )
    await on.sendAndMove()
    expect(await pausedFor(draft, '4 days')).toBe('PLAN e3')
    expect(await on.stepsOf(draft)).toBe('1 SENT, 3 SCHEDULED, 4 SCHEDULED')
  })
})

test('“Metrics: pending count by status, enqueued per minute, rebuild counts”, and the lag', async () => {
  const text = await readMetrics(db.pool)
  for (const name of ['pending', 'overdue', 'lag_seconds', 'executed', 'cancelled', 'deduplicated', 'mended', 'dead'])
    expect(text).toContain(`sendonce_actions_${name}{type="TIMEOUT"}`)
  expect(text).toMatch(/sendonce_actions_executed\{type="MOVE_ON"\} [1-9]/)
  expect(text).toMatch(/sendonce_actions_mended\{type="TIMEOUT"\} 3/)
  expect(text).toMatch(/sendonce_actions_cancelled\{type="TIMEOUT"\} [1-9]/)
})
