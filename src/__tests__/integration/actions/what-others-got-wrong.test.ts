import { describe, expect, test } from 'vitest'
import { claimActions } from '#lib/actions/claim.ts'
import { sweepAll } from '#lib/actions/run/sweep.ts'
import { cancelWaiting } from '#lib/email-scheduler/effects/cancel-waiting.ts'
import { editSequence } from '#lib/email-scheduler/effects/edit-sequence.ts'
import { cancel } from '#lib/email-scheduler/verbs/cancel.ts'
import { restore } from '#lib/email-scheduler/verbs/restore.ts'
import { examine } from '#lib/operations/doctor/examine.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { graphProblems } from '#lib/sequences/graph/graph-problems.ts'
import type { AwaitedEvent, GraphNode } from '#lib/sequences/graph/node-types.ts'
import { branchingOn, first } from '#tests/support/actions/branching-on.ts'
import { type Branching, branch, email, makeBranchingDraft, wait } from '#tests/support/data/branching.ts'
import { launch, textOf } from '#tests/support/data/drafts.ts'
import { actor } from '#tests/support/data/people.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const on = branchingOn(db)
const TAKEN = {
  yes: '1 SENT, 2 SCHEDULED, 4 SCHEDULED',
  no: '1 SENT, 3 SCHEDULED, 4 SCHEDULED',
}

/** To the millisecond. */
async function deadlineOf(campaign: Branching, plusMs = 0): Promise<Date> {
  const { rows } = await db.pool.query<{ deadline: Date }>(
    'SELECT deadline FROM journey_waits WHERE prospect_id = $1',
    [first(campaign)],
  )
  return new Date((rows[0]?.deadline.getTime() ?? 0) + plusMs)
}

/** What each of these people left behind: they have the exit in their row, and what follows from it. */
async function leave(
  campaign: Branching,
  column: string,
  reason: 'PROSPECT_REPLIED' | 'PROSPECT_UNSUBSCRIBED' | 'PROSPECT_ARCHIVED' | 'PROSPECT_BOUNCED',
) {
  await inTransaction(db.pool, async (tx) => {
    await tx.query(`UPDATE prospects SET ${column} = app_now() WHERE id = $1`, [first(campaign)])
    await cancelWaiting(tx, campaign.workspaceId, { prospectId: first(campaign) }, reason)
  })
}

describe('what others got wrong does not happen here', () => {
  test('both paths taken (Mautic 2210, 4164, 3947): the event comes after the time-out was taken', async () => {
    const campaign = await on.sent()
    await db.travel('3 days 1 minute')
    await on.tick()
    await on.happens(campaign, first(campaign), { ago: '1 hour' })
    await on.tick()
    expect(await on.stepsOf(campaign)).toBe(TAKEN.no)
  })

  test('the “no” path too early (3948, 6997): an event at the deadline wins, however late it is told, while nobody has taken the time-out', async () => {
    const campaign = await on.sent()
    // No worker for a day.
    await db.travel('4 days')
    const held = await claimActions(db.pool, 'lost', 'people')
    expect(held.some(({ type, campaignId }) => type === 'TIMEOUT' && campaignId === campaign.campaignId)).toBe(true)
    await on.happens(campaign, first(campaign), { at: await deadlineOf(campaign) })
    await on.tick()
    expect(await on.stepsOf(campaign)).toBe(TAKEN.yes)
  })

  test('an event a millisecond after the deadline loses, though it is told before the time-out is taken', async () => {
    const campaign = await on.sent()
    await db.travel('3 days 5 seconds')
    await on.happens(campaign, first(campaign), { at: await deadlineOf(campaign, 1) })
    await on.tick()
    expect(await on.standsAt(campaign)).toBe('BRANCH b')
    await db.travel('10 seconds')
    await on.tick()
    expect(await on.stepsOf(campaign)).toBe(TAKEN.no)
  })

  test('the “no” path never (266): it comes by itself, with no event anywhere', async () => {
    const campaign = await on.sent()
    await db.travel('3 days 11 seconds')
    await on.tick()
    expect(await on.stepsOf(campaign)).toBe(TAKEN.no)
  })

  test('a wait counted twice (12686, 14289): what follows a time-out counts from its deadline, and no further', async () => {
    const nodes = [email(1), branch('b', 'CUSTOM', 3, [], [wait('w', 2), email(2)], 'bought')]
    const campaign = await on.sent(nodes, { steps: 2 })
    await db.travel('3 days 11 seconds')
    await on.tick()
    const { rows } = await db.pool.query<{ days: number }>(
      `SELECT round(extract(epoch FROM a.due_at - e.sent_at) / 86400, 3)::float8 AS days FROM scheduled_actions a
       JOIN scheduled_emails e ON e.campaign_prospect_id = a.enrolment_id WHERE a.campaign_id = $1 AND a.type = 'WAIT'`,
      [campaign.campaignId],
    )
    expect(rows).toEqual([{ days: 5 }])
  })

  test('an event that came before the wait began (Inngest 1433): a wait looks back to the hand-over that it hangs on', async () => {
    const campaign = await on.make()
    await sendAll(db.pool, new TestProvider())
    await on.happens(campaign)
    await on.tick()
    expect(await on.stepsOf(campaign)).toBe(TAKEN.yes)
  })

  test('an old event consumed again (workflow-core 297): what happened before that hand-over does not count', async () => {
    const campaign = await on.make()
    await on.happens(campaign)
    await on.sendAndMove()
    await on.tick()
    expect(await on.standsAt(campaign)).toBe('BRANCH b')
  })

  test('an event of another kind, name or email decides nothing', async () => {
    const campaign = await on.sent()
    await on.happens(campaign, first(campaign), { name: 'looked' })
    await db.pool.query(
      `INSERT INTO person_events (workspace_id, prospect_id, type, email_id, dedupe_key) VALUES ($1, $2, 'OPENED', $3, $4)`,
      [campaign.workspaceId, first(campaign), newId(), newId()],
    )
    await on.tick()
    expect(await on.standsAt(campaign)).toBe('BRANCH b')
  })

  test('a re-entry leaving two waits (9797): who is taken back waits once, in a round of its own', async () => {
    const campaign = await on.make()
    const who = first(campaign)
    const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM scheduled_emails WHERE campaign_id = $1', [
      campaign.campaignId,
    ])
    const ids = rows.map(({ id }) => id)
    await inTransaction(db.pool, (tx) => cancelWaiting(tx, campaign.workspaceId, { prospectId: who }, 'BY_PERSON'))
    expect(await on.standsAt(campaign, who)).toBe('ENDED BY_PERSON')
    await inTransaction(db.pool, (tx) => restore(tx, campaign.workspaceId, ids))
    await on.tick()
    await on.sendAndMove()
    expect(await on.standsAt(campaign, who)).toBe('BRANCH b')
    const waits = await db.pool.query('SELECT round, outcome FROM journey_waits WHERE prospect_id = $1', [who])
    expect(waits.rows).toEqual([{ round: 2, outcome: null }])
    expect(await on.actionsOf(campaign, 'TIMEOUT')).toEqual(['TIMEOUT PENDING'])
  })

  test('a key of a node is never reused: Postgres refuses a second wait of the same round, and a second open one', async () => {
    const campaign = await on.sent()
    const again = (node: string, round: string) =>
      db.pool.query(
        `INSERT INTO journey_waits (workspace_id, enrolment_id, prospect_id, node_id, round, anchor_email_id, anchored_at, deadline, event_type, event_name)
         SELECT workspace_id, enrolment_id, prospect_id, ${node}, ${round}, anchor_email_id, anchored_at, deadline, event_type, event_name
         FROM journey_waits WHERE prospect_id = $1`,
        [first(campaign)],
      )
    await expect(again('node_id', 'round')).rejects.toThrow('journey_waits_enrolment_id_node_id_round_key')
    await expect(again(`'other'`, 'round')).rejects.toThrow('journey_waits_open_key')
    await expect(
      db.pool.query(`UPDATE journey_waits SET outcome = 'EVENT', outcome_at = app_now() WHERE prospect_id = $1`, [
        first(campaign),
      ]),
    ).resolves.toMatchObject({ rowCount: 1 })
    await expect(
      db.pool.query(`UPDATE journey_waits SET outcome = 'TIMEOUT' WHERE prospect_id = $1`, [first(campaign)]),
    ).rejects.toThrow('a wait is decided once')
  })

  test.each<[AwaitedEvent | 'ARCHIVED', string, Parameters<typeof leave>[2]]>([
    ['REPLIED', 'replied_at', 'PROSPECT_REPLIED'],
    ['UNSUBSCRIBED', 'unsubscribed_at', 'PROSPECT_UNSUBSCRIBED'],
    ['BOUNCED', 'bounced_at', 'PROSPECT_BOUNCED'],
    ['ARCHIVED', 'archived_at', 'PROSPECT_ARCHIVED'],
  ])(
    'an exit (%s) cancels waits in its own commit, and nothing follows when their time comes',
    async (_, column, reason) => {
      const campaign = await on.sent()
      await leave(campaign, column, reason)
      expect(await on.standsAt(campaign)).toBe(`ENDED ${reason}`)
      expect(await on.actionsOf(campaign, 'TIMEOUT')).toEqual([`TIMEOUT CANCELLED ${reason}`])
      const waits = await db.pool.query('SELECT outcome FROM journey_waits WHERE prospect_id = $1', [first(campaign)])
      expect(waits.rows).toEqual([{ outcome: 'LEFT' }])
      await db.travel('4 days')
      await on.tick()
      expect(await on.stepsOf(campaign)).toBe('1 SENT')
    },
  )

  test('a branch that waits for the exit itself goes that way, does what is to be done at once, and sends nothing', async () => {
    const nodes: GraphNode[] = [
      email(1),
      branch('b', 'REPLIED', 3, [{ id: 'f', type: 'set-field', field: 'custom.answered', value: true }], [email(2)]),
      email(3),
    ]
    const campaign = await on.sent(nodes, { steps: 3 })
    await leave(campaign, 'replied_at', 'PROSPECT_REPLIED')
    await on.tick()
    const { rows } = await db.pool.query(
      `SELECT custom_fields ->> 'answered' AS answered FROM prospects WHERE id = $1`,
      [first(campaign)],
    )
    expect(rows).toEqual([{ answered: 'true' }])
    expect(await on.standsAt(campaign)).toBe('ENDED WALKED_THROUGH')
    await db.travel('4 days')
    await on.tick()
    expect(await on.stepsOf(campaign)).toBe('1 SENT')
  })

  test('a deleted step leaves nobody without a next one (mendix, kademi 4806): each goes on through the version they began with', async () => {
    const campaign = await on.sent()
    const steps = Array.from({ length: 4 }, (_, index) => ({ ...textOf(0), stepNumber: index + 1 }))
    const graph = { nodes: [email(1), email(2), email(3), email(4)] }
    await inTransaction(db.pool, (tx) =>
      editSequence(tx, campaign.workspaceId, campaign.sequenceId, { steps, graph }, actor),
    )
    await on.happens(campaign)
    await on.tick()
    expect(await on.stepsOf(campaign)).toBe(TAKEN.yes)
    await expect(db.pool.query(`UPDATE sequence_graphs SET graph = '{}'`)).rejects.toThrow('never changes')
  })

  test('an edge that re-schedules itself for ever (7057): who may not be sent to ends where all can see it', async () => {
    const campaign = await on.make()
    const who = first(campaign)
    await on.sendAndMove()
    await on.happens(campaign, who)
    // The key of the step was taken, however that came about.
    await db.pool.query(
      `INSERT INTO scheduled_emails (id, workspace_id, campaign_id, campaign_prospect_id, prospect_id, sequence_id, step_number, mailbox_id,
           idempotency_key, scheduled_for, local_date, updated_at)
         SELECT gen_random_uuid(), workspace_id, campaign_id, campaign_prospect_id, prospect_id, sequence_id, 2, mailbox_id,
           prospect_id || ':' || sequence_id || ':2', app_now() + interval '1 day', '2026-01-01', app_now() FROM scheduled_emails WHERE campaign_id = $1`,
      [campaign.campaignId],
    )
    await on.tick()
    expect(await on.standsAt(campaign, who)).toBe('ENDED HAD_BEFORE')
  })

  test('an event consumed, then a crash before the wait is resolved (veryfront 4159): the claim and the resolution are one commit', async () => {
    const campaign = await on.sent()
    await on.happens(campaign)
    // A worker takes the look, and is lost.
    expect((await claimActions(db.pool, 'lost', 'people')).length).toBeGreaterThan(0)
    await on.tick()
    expect(await on.standsAt(campaign)).toBe('BRANCH b')
    await db.travel('3 minutes')
    await on.tick()
    expect(await on.stepsOf(campaign)).toBe(TAKEN.yes)
  })

  test('waits not re-armed after a restart (sdk-java 1245): an event that nobody looks at any more is found by the sweep', async () => {
    await sweepAll(db.pool, silent)
    const campaign = await on.sent()
    await on.happens(campaign)
    await inTransaction(db.pool, async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica')
      await tx.query(`DELETE FROM scheduled_actions WHERE campaign_id = $1 AND type = 'LOOK'`, [campaign.campaignId])
    })
    expect(await sweepAll(db.pool, silent)).toBe(1)
    await on.tick()
    expect(await on.stepsOf(campaign)).toBe(TAKEN.yes)
  })

  test('an email that is cancelled by hand stops its person there, and a restore takes them on', async () => {
    const campaign = await on.make()
    const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM scheduled_emails WHERE campaign_id = $1', [
      campaign.campaignId,
    ])
    const ids = rows.map(({ id }) => id)
    await inTransaction(db.pool, (tx) => cancel(tx, campaign.workspaceId, ids))
    await on.tick()
    expect(await on.standsAt(campaign)).toBe('EMAIL e1')
    await inTransaction(db.pool, (tx) => restore(tx, campaign.workspaceId, ids))
    await on.tick()
    await on.sendAndMove()
    expect(await on.standsAt(campaign)).toBe('BRANCH b')
  })

  test('after all of this the doctor finds nothing', async () => {
    const findings = await examine(db.pool)
    // The taken key above is a fault that was planted.
    expect(
      findings.filter(({ name }) => !['ledger-balances', 'nothing-waits-in-vain', 'next-step-comes'].includes(name)),
    ).toEqual([])
  })
})

describe('an edge without a next node is refused when saving, like all that leads nowhere', () => {
  const problemsOf = (nodes: GraphNode[], steps = [1, 2, 3]) =>
    graphProblems({ nodes }, steps).map(({ sentence }) => sentence)

  test.each<[string, GraphNode[], RegExp]>([
    ['nothing at the beginning', [wait('w', 1), email(1), email(2), email(3)], /begins with an email/],
    ['a step twice', [email(1), email(2), { ...email(2), id: 'again' }, email(3)], /a second time/],
    ['a step nowhere', [email(1), email(2)], /Step 3 stands nowhere/],
    ['a step that is not there', [email(1), email(2), email(3), email(4)], /There is no step 4/],
    ['numbers that fall along a way', [email(1), email(3), email(2)], /along every way the numbers rise/],
    ['what nobody comes to', [email(1), { id: 'x', type: 'end' }, email(2), email(3)], /Nobody comes to this/],
    [
      'a branch that decides nothing',
      [email(1), branch('b', 'OPENED', 1, [], []), email(2), email(3)],
      /decides nothing/,
    ],
    ['an email behind a reply', [email(1), branch('b', 'REPLIED', 1, [email(2)], [email(3)])], /gets no more email/],
    ['an id twice', [email(1), wait('w', 1), wait('w', 2), email(2), email(3)], /Two nodes have the id w/],
  ])('%s', (_, nodes, words) => {
    expect(problemsOf(nodes).join(' ')).toMatch(words)
  })

  test('and a sequence that has such a thing is not launched', async () => {
    const draft = await makeBranchingDraft(db.pool, [wait('w', 1), email(1)], { steps: 1 })
    await expect(launch(db.pool, draft)).rejects.toMatchObject({
      code: 'not-ready',
      message: expect.stringContaining('begins with an email'),
    })
  })
})
