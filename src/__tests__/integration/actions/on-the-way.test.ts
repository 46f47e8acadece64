import { describe, expect, test } from 'vitest'
import type { MemberNotice, TellMember } from '#lib/actions/run/tell-member.ts'
import { enrolProspects } from '#lib/campaigns/enrol.ts'
import { removeLater } from '#lib/campaigns/remove-later.ts'
import { FORECAST_NOTE } from '#lib/email-scheduler/read/forecast-path.ts'
import { previewPath, readPersonPath } from '#lib/email-scheduler/read/person-path.ts'
import { cancel } from '#lib/email-scheduler/verbs/cancel.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { createSequence } from '#lib/sequences/change-sequence.ts'
import type { GraphNode } from '#lib/sequences/graph/node-types.ts'
import { runTick } from '#lib/worker/tick.ts'
import { branchingOn, first } from '#tests/support/actions/branching-on.ts'
import { branch, email, FORK, makeBranching, makeOpenWorkspace, wait } from '#tests/support/data/branching.ts'
import { type Draft, launch, makeDraft, textOf } from '#tests/support/data/drafts.ts'
import { actor } from '#tests/support/data/people.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const on = branchingOn(db)

test('a linear sequence has no graph, no journey, no action, and plans all of its steps at once', async () => {
  const draft = await makeDraft(db.pool, 2, [0, 1, 2])
  await launch(db.pool, draft)
  await on.tick()
  expect(await on.stepsOf(draft)).toBe('1 SCHEDULED, 2 SCHEDULED, 3 SCHEDULED')
  expect(await on.actionsOf(draft)).toEqual([])
  for (const table of ['journeys', 'journey_steps', 'sequence_graphs'])
    expect((await db.pool.query(`SELECT FROM ${table}`)).rows).toEqual([])
  expect((await db.pool.query('SELECT FROM scheduled_emails WHERE moves_on')).rows).toEqual([])
})

describe('what is done on the way', () => {
  test('sets fields and changes lists for everybody who comes by, once', async () => {
    const workspaceId = await makeOpenWorkspace(db.pool)
    const [joined, left] = [newId(), newId()]
    await db.pool.query(
      `INSERT INTO prospect_lists (id, workspace_id, name, updated_at) SELECT id, $1, id::text, app_now() FROM unnest($2::uuid[]) id`,
      [workspaceId, [joined, left]],
    )
    const nodes: GraphNode[] = [
      email(1),
      { id: 'a', type: 'add-to-list', listId: joined },
      { id: 'r', type: 'remove-from-list', listId: left },
      { id: 'f', type: 'set-field', field: 'custom.tier', value: 'gold' },
      { id: 'c', type: 'set-field', field: 'company', value: 'Acme' },
    ]
    const campaign = await on.make(nodes, { workspaceId, people: 3, steps: 1 })
    await db.pool.query('INSERT INTO list_members (list_id, prospect_id) SELECT $1, id FROM unnest($2::uuid[]) id', [
      left,
      campaign.prospectIds,
    ])
    await on.sendAndMove()
    const members = await db.pool.query('SELECT list_id AS list FROM list_members WHERE list_id = ANY($1::uuid[])', [
      [joined, left],
    ])
    expect(members.rows).toEqual(Array(3).fill({ list: joined }))
    const { rows } = await db.pool.query(`SELECT company, custom_fields FROM prospects WHERE id = ANY($1::uuid[])`, [
      campaign.prospectIds,
    ])
    expect(rows).toEqual(Array(3).fill({ company: 'Acme', custom_fields: { tier: 'gold' } }))
    expect(await on.standsAt(campaign)).toBe('ENDED WALKED_THROUGH')
  })

  test('tells a member in the commit of the action, and what fails by itself is tried again while the person goes on', async () => {
    const personId = newId()
    const nodes: GraphNode[] = [email(1), { id: 'n', type: 'notify', personId, note: 'Call them' }, email(2)]
    const campaign = await makeBranchingWithoutCheck(nodes, 2)
    const told: MemberNotice[] = []
    let isAway = true
    const tellMember: TellMember = async (_, notice) => {
      if (isAway) throw new Error('no such luck')
      told.push(notice)
      return 'told'
    }
    await on.sendAndMove()
    await runTick(db.pool, 'test', silent, { tellMember })
    expect(await on.stepsOf(campaign)).toBe('1 SENT, 2 SCHEDULED')
    expect(told).toEqual([])
    isAway = false
    await db.travel('2 minutes')
    for (let ticks = 0; ticks < 3; ticks += 1) await runTick(db.pool, 'test', silent, { tellMember })
    expect(told).toEqual([expect.objectContaining({ personId, note: 'Call them', prospectId: first(campaign) })])
    expect(await on.actionsOf(campaign, 'REMIND')).toEqual(['REMIND COMPLETED'])
  })

  test('a member who has gone leaves an action that says so, and is not tried again', async () => {
    const nodes: GraphNode[] = [email(1), { id: 'n', type: 'notify', personId: newId(), note: '' }]
    const campaign = await makeBranchingWithoutCheck(nodes, 1)
    await on.sendAndMove()
    await db.travel('10 minutes')
    await runTick(db.pool, 'test', silent, { tellMember: async () => 'no-such-member' })
    expect(await on.actionsOf(campaign, 'REMIND')).toEqual(['REMIND DEAD NO_SUCH_MEMBER'])
  })

  test('moves on to another campaign, whose keys are its own; one that takes nobody in is a dead action', async () => {
    const target = await makeDraft(db.pool, 0, [0], { workspaceId: await makeOpenWorkspace(db.pool) })
    const nodes = (campaignId: string): GraphNode[] => [
      email(1),
      branch('b', 'CUSTOM', 1, [{ id: 'm', type: 'move', campaignId }], [email(2)], 'bought'),
    ]
    const campaign = await on.sent(nodes(target.campaignId), {
      workspaceId: target.workspaceId,
      people: 2,
      steps: 2,
    })
    await on.happens(campaign)
    await on.tick()
    expect(await on.standsAt(campaign)).toBe('ENDED MOVED')
    const joined = await db.pool.query('SELECT prospect_id AS id FROM campaign_prospects WHERE campaign_id = $1', [
      target.campaignId,
    ])
    expect(joined.rows).toEqual([{ id: first(campaign) }])
    expect(await leftOf(campaign, 0)).toBe('The person was moved on to another campaign, and is in it.')
    await db.pool.query(`UPDATE campaigns SET status = 'RUNNING' WHERE id = $1`, [target.campaignId])
    await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [target.campaignId])
    await on.happens(campaign, campaign.prospectIds[1] ?? '')
    await on.tick()
    expect(await on.actionsOf(campaign, 'ENROL')).toEqual(['ENROL COMPLETED', 'ENROL DEAD CAMPAIGN_CLOSED'])
    expect(await leftOf(campaign, 1)).toMatch(/was not. The campaign takes nobody in/)
  })

  test('says of whom the other campaign does not take in that it has not, and why', async () => {
    const workspaceId = await makeOpenWorkspace(db.pool)
    const target = await makeDraft(db.pool, 0, [0], { workspaceId })
    const campaign = await makeBranching(
      db.pool,
      [email(1), { id: 'm', type: 'move', campaignId: target.campaignId }],
      {
        ...{ workspaceId, people: 2, steps: 1 },
      },
    )
    const [covered = '', gone = ''] = campaign.prospectIds
    const other = await makeDraft(db.pool, 0, [], { workspaceId, sequenceId: target.sequenceId })
    await inTransaction(db.pool, (tx) => enrolProspects(tx, workspaceId, other.campaignId, [covered]))
    await launch(db.pool, other)
    await on.tick()
    await sendAll(db.pool, new TestProvider())
    // Moved on, and not yet taken in: what happens in between counts.
    await db.pool.query('UPDATE prospects SET bounced_at = app_now() WHERE id = $1', [gone])
    await db.pool.query(
      `UPDATE journeys SET state = 'ENDED', ended_at = app_now(), ended_reason = 'MOVED' WHERE prospect_id = $1`,
      [gone],
    )
    await db.pool.query(
      `INSERT INTO scheduled_actions (workspace_id, type, dedupe_key, due_at, campaign_id, enrolment_id, prospect_id, node_id, payload)
       SELECT workspace_id, 'ENROL', 'enrol:' || enrolment_id, app_now(), campaign_id, enrolment_id, prospect_id, 'm', $2
       FROM journeys WHERE prospect_id = $1`,
      [gone, { campaignId: target.campaignId }],
    )
    await on.tick()
    await on.tick()
    expect((await on.actionsOf(campaign, 'ENROL')).sort()).toEqual([
      'ENROL CANCELLED COVERED_THERE',
      'ENROL CANCELLED NOT_WANTED_THERE',
    ])
    expect(await leftOf(campaign, 0)).toMatch(/was not. The other campaign did not take the person in: they had/)
    expect(await leftOf(campaign, 1)).toMatch(/was not. The other campaign did not take the person in: they replied/)
  })
})

test('what follows a branch after days counts them from when the branch was taken, not from the email before', async () => {
  const { workspaceId } = await makeWorkspace(db.pool, {
    settings: {
      postal_address: '1 High Street',
      sending_days: [1, 2, 3, 4, 5, 6, 7],
      jitter_min_seconds: 0,
      jitter_max_seconds: 0,
    },
  })
  const graph = { nodes: [email(1), branch('b', 'CUSTOM', 3, [], [email(2)], 'bought')] }
  const steps = [textOf(0), textOf(2)]
  const { id: sequenceId } = await inTransaction(db.pool, (tx) =>
    createSequence(tx, workspaceId, { name: 'Late', steps, graph }),
  )
  const draft = await makeDraft(db.pool, 1, [], { workspaceId, sequenceId })
  await launch(db.pool, draft)
  await on.tick()
  await db.travel('1 day')
  await on.sendAndMove()
  await db.travel('3 days 11 seconds')
  await on.tick()
  // The settings change, and everything that waits is planned again.
  await db.pool.query(`UPDATE sending_settings SET daily_quota = daily_quota + 1 WHERE workspace_id = $1`, [
    workspaceId,
  ])
  await on.tick()
  const { rows } = await db.pool.query<{ days: number }>(
    `SELECT (max(local_date) FILTER (WHERE step_number = 2) - max(sent_at AT TIME ZONE 'UTC')::date) AS days FROM scheduled_emails WHERE campaign_id = $1`,
    [draft.campaignId],
  )
  expect(rows[0]?.days).toBeGreaterThanOrEqual(5)
})

test('who is to be taken out at a time is in until then, and out after it', async () => {
  const campaign = await on.make()
  const enrolmentIds = await on.enrolmentsOf(campaign)
  await on.sendAndMove()
  const { rows } = await db.pool.query<{ at: Date }>(`SELECT app_now() + interval '1 day' AS at`)
  const at = rows[0]?.at ?? new Date(0)
  const set = () =>
    inTransaction(db.pool, (tx) =>
      removeLater(tx, campaign.workspaceId, campaign.campaignId, { enrolmentIds, at }, actor),
    )
  expect([await set(), await set()]).toEqual([1, 1])
  expect(await on.actionsOf(campaign, 'CANCEL')).toEqual(['CANCEL PENDING'])
  await db.travel('25 hours')
  await on.tick()
  expect(await on.standsAt(campaign)).toBe('ENDED BY_PERSON')
})

describe('the way of a person', () => {
  test('tells what happened, what is planned and how it would go on', async () => {
    const campaign = await on.make([email(1), wait('w', 1), ...FORK.slice(1)])
    const [enrolmentId = ''] = await on.enrolmentsOf(campaign)
    const path = () => readPersonPath(db.pool, campaign.workspaceId, campaign.campaignId, enrolmentId)
    const told = async () =>
      (await path()).items.map(({ nodeId, standing, side }) => `${nodeId} ${standing}${side ? ` ${side}` : ''}`)
    expect(await told()).toEqual(['e1 planned', 'w forecast', 'b forecast no', 'e3 forecast', 'e4 forecast'])
    await on.sendAndMove()
    expect(await told()).toEqual(['e1 happened', 'w planned', 'b forecast no', 'e3 forecast', 'e4 forecast'])
    await db.travel('1 day 1 minute')
    await on.tick()
    await on.happens(campaign)
    await on.tick()
    expect(await told()).toEqual(['e1 happened', 'w happened', 'b happened yes', 'e2 planned', 'e4 planned'])
    expect(await path()).toMatchObject({ left: null, standsAt: 'e4' })
  })

  test('tells lists, campaigns and members by their names, and those of no other workspace', async () => {
    const campaign = await on.make()
    const other = await on.make()
    const listOf = async ({ workspaceId }: { workspaceId: string }, name: string) => {
      const { rows } = await db.pool.query<{ id: string }>(
        `INSERT INTO prospect_lists (id, workspace_id, name, updated_at) VALUES (gen_random_uuid(), $1, $2, app_now()) RETURNING id`,
        [workspaceId, name],
      )
      return rows[0]?.id ?? ''
    }
    const nodes = [
      email(1),
      { id: 'a', type: 'add-to-list' as const, listId: await listOf(campaign, 'Keen') },
      { id: 'r', type: 'remove-from-list' as const, listId: await listOf(other, 'Of others') },
      { id: 'f', type: 'set-field' as const, field: 'custom.stage', value: 'warm' },
      { id: 'm', type: 'move' as const, campaignId: campaign.campaignId },
    ]
    const { rows } = await db.pool.query<{ id: string; name: string }>(
      'SELECT c.sequence_id AS id, c.name FROM campaigns c WHERE c.id = $1',
      [campaign.campaignId],
    )
    const [{ id, name } = { id: '', name: '' }] = rows
    const { items } = await previewPath(db.pool, campaign.workspaceId, id, { graph: { nodes }, happens: [] })
    expect(items.map(({ sentence }) => sentence)).toEqual([
      'The email of step 1.',
      'Adds the person to “Keen”.',
      'Takes the person from a list that is gone.',
      'Sets the field stage to “warm”.',
      `Moves the person on to “${name}”.`,
    ])
  })

  test('of who came to the end tells the side that was taken and what was done there', async () => {
    const deed = { id: 's', type: 'set-field', field: 'custom.keen', value: 'yes' } as const
    const campaign = await on.make([email(1), branch('b', 'CUSTOM', 3, [deed], [], 'bought')], { steps: 1 })
    const [enrolmentId = ''] = await on.enrolmentsOf(campaign)
    await on.sendAndMove()
    await on.happens(campaign)
    await on.tick()
    const { items, left } = await readPersonPath(db.pool, campaign.workspaceId, campaign.campaignId, enrolmentId)
    expect(items.map(({ nodeId, side }) => [nodeId, side])).toEqual([
      ['e1', null],
      ['b', 'yes'],
      ['s', null],
    ])
    expect(left).toBe('The person came to the end of the sequence.')
  })

  test('is forecast for one who has not begun, by the sides that are chosen', async () => {
    const campaign = await on.make()
    const steps = async (happening: string[]) =>
      (await previewPath(db.pool, campaign.workspaceId, campaign.sequenceId, { happens: happening })).items.flatMap(
        ({ stepNumber }) => stepNumber ?? [],
      )
    expect(await steps([])).toEqual([1, 3, 4])
    expect(await steps(['b'])).toEqual([1, 2, 4])
  })
})

async function leftOf(campaign: Draft, index: number): Promise<string | null> {
  const { rows } = await db.pool.query<{ id: string }>(
    'SELECT id FROM campaign_prospects WHERE campaign_id = $1 AND prospect_id = $2',
    [campaign.campaignId, campaign.prospectIds[index]],
  )
  return (await readPersonPath(db.pool, campaign.workspaceId, campaign.campaignId, rows[0]?.id ?? '')).left
}

describe('the way of a chosen person', () => {
  const of = (campaign: Draft, prospectId: string, happening: string[] = []) =>
    previewPath(db.pool, campaign.workspaceId, campaign.sequenceId, { happens: happening, prospectId })
  const told = async (campaign: Draft, prospectId: string, happening: string[] = []) =>
    (await of(campaign, prospectId, happening)).items.map(({ nodeId, standing }) => `${nodeId} ${standing}`)

  test('is their own where they go through it already: the steps they had, where they stand, and what is assumed of the rest', async () => {
    const campaign = await on.sent()
    const path = await of(campaign, first(campaign))
    expect(path).toMatchObject({
      standsAt: 'b',
      notes: [expect.stringMatching(/^Is in the campaign “Spring” already/), FORECAST_NOTE],
    })
    expect(await told(campaign, first(campaign))).toEqual(['e1 happened', 'b planned', 'e3 forecast', 'e4 forecast'])
    expect(await told(campaign, first(campaign), ['b'])).toEqual([
      'e1 happened',
      'b planned',
      'e2 forecast',
      'e4 forecast',
    ])
  })

  test('is empty where nothing would be sent to them, and says why; what they lack and a pause are told', async () => {
    const campaign = await on.make(FORK, { people: 1 })
    const [gone = '', suppressed = '', lacking = ''] = await makeProspects(db.pool, campaign.workspaceId, 3)
    await db.pool.query('UPDATE prospects SET replied_at = app_now() WHERE id = $1', [gone])
    await db.pool.query(
      `INSERT INTO suppressions (id, workspace_id, kind, value, value_hash, source, created_at)
       SELECT gen_random_uuid(), workspace_id, 'ADDRESS', email, email_hash, 'PERSON', app_now() FROM prospects WHERE id = $1`,
      [suppressed],
    )
    await db.pool.query('UPDATE prospects SET paused_at = app_now(), first_name = NULL WHERE id = $1', [lacking])
    await db.pool.query(`UPDATE sequence_steps SET subject = 'Hi {{firstName}}' WHERE sequence_id = $1`, [
      campaign.sequenceId,
    ])
    expect(await of(campaign, gone)).toMatchObject({
      items: [],
      left: expect.stringMatching(/^The person replied\. Nothing of/),
    })
    expect(await of(campaign, suppressed)).toMatchObject({
      items: [],
      left: expect.stringMatching(/suppression list\. Nothing of/),
    })
    const path = await of(campaign, lacking)
    expect(path.items.map(({ nodeId }) => nodeId)).toEqual(['e1', 'b', 'e3', 'e4'])
    expect(path.notes).toEqual([
      expect.stringMatching(/^Is paused/),
      expect.stringMatching(/has no first name/),
      FORECAST_NOTE,
    ])
  })

  test('of another workspace is not found', async () => {
    const [one, other] = [await on.make(), await on.make()]
    await expect(of(one, first(other))).rejects.toMatchObject({ status: 404 })
  })

  test('tells an email that was cancelled as cancelled', async () => {
    const campaign = await on.make()
    const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM scheduled_emails WHERE campaign_id = $1', [
      campaign.campaignId,
    ])
    await inTransaction(db.pool, (tx) =>
      cancel(
        tx,
        campaign.workspaceId,
        rows.map(({ id }) => id),
      ),
    )
    expect((await of(campaign, first(campaign))).items[0]?.sentence).toBe('The email of step 1. It was cancelled.')
  })
})

/** Of members that are not there: the launch would refuse them. */
async function makeBranchingWithoutCheck(nodes: GraphNode[], steps: number) {
  const plain = nodes.filter(({ type }) => type !== 'notify')
  const workspaceId = await makeOpenWorkspace(db.pool)
  const { id: sequenceId } = await inTransaction(db.pool, (tx) =>
    createSequence(tx, workspaceId, {
      name: 'Notice',
      steps: Array.from({ length: steps }, () => textOf(0)),
      graph: { nodes: plain },
    }),
  )
  const draft = await makeDraft(db.pool, 1, [], { workspaceId, sequenceId })
  await launch(db.pool, draft)
  await inTransaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica')
    await tx.query('UPDATE sequences SET graph = $2 WHERE id = $1', [sequenceId, { nodes }])
    await tx.query('UPDATE sequence_graphs SET graph = $2 WHERE sequence_id = $1', [sequenceId, { nodes }])
  })
  await on.tick()
  return draft
}
