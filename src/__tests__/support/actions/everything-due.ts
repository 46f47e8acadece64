import type pg from 'pg'
import { changeCampaign } from '#lib/campaigns/draft.ts'
import { removeLater } from '#lib/campaigns/remove-later.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import type { GraphNode } from '#lib/sequences/graph/node-types.ts'
import {
  type Branching,
  branch,
  email,
  enrolmentsOf,
  happens,
  makeBranching,
  makeOpenWorkspace,
  sendAndMove,
  wait,
} from '#tests/support/data/branching.ts'
import { launch, makeDraft } from '#tests/support/data/drafts.ts'
import { actor } from '#tests/support/data/people.ts'

/** Where the killed process writes down whom it told, in the transaction of the action, as mails to members are. */
export const TOLD = 'CREATE TABLE IF NOT EXISTS told_in_tests (workspace_id uuid, prospect_id uuid, note text)'

/**
 * A workspace in which an action of every type is due at once, or comes of one that is: a start and an end of a campaign, moves
 * on, a wait, time-outs, looks, an enrolment elsewhere, notices and a removal. The clock of the database moves on.
 */
export async function makeEverythingDue(pool: pg.Pool, travel: (interval: string) => Promise<void>): Promise<string> {
  const workspaceId = await makeOpenWorkspace(pool)
  const [listId, personId] = [newId(), newId()]
  await pool.query(
    `INSERT INTO prospect_lists (id, workspace_id, name, updated_at) VALUES ($1, $2, 'Buyers', app_now())`,
    [listId, workspaceId],
  )
  await pool.query(
    `INSERT INTO users (id, name, email, email_verified, updated_at) VALUES ($1, 'Mia', $2, true, now())`,
    [personId, `${personId}@acme.test`],
  )
  await pool.query(
    `INSERT INTO members (id, workspace_id, user_id, role) VALUES (gen_random_uuid(), $1, $2, 'member')`,
    [workspaceId, personId],
  )
  const target = await makeDraft(pool, 0, [0], { workspaceId })
  const notify: GraphNode = { id: 'n', type: 'notify', personId, note: 'Call them' }
  const yes: GraphNode[] = [
    { id: 'f', type: 'set-field', field: 'company', value: 'Acme' },
    { id: 'l', type: 'add-to-list', listId },
    notify,
    email(2),
  ]
  const forking = await makeBranching(pool, [email(1), branch('b', 'CUSTOM', 3, yes, [email(3)], 'bought'), email(4)], {
    ...{ workspaceId, people: 3 },
  })
  await makeBranching(
    pool,
    [email(1), wait('w', 2), { ...notify, id: 'm' }, { id: 't', type: 'move', campaignId: target.campaignId }],
    { workspaceId, people: 2, steps: 1 },
  )
  const leaving = await makeBranching(pool, [email(1), wait('w', 40), email(2)], { workspaceId, people: 1, steps: 2 })
  const ending = await makeBranching(pool, [email(1), wait('w', 40), email(2)], { workspaceId, people: 1, steps: 2 })
  await sendAndMove(pool)
  await takeOutIn(pool, leaving, '3 days')
  const { campaignId } = ending
  const endsAt = await inTime(pool, '3 days')
  await inTransaction(pool, (tx) => changeCampaign(tx, workspaceId, campaignId, { endsAt }, actor))
  const starting = await makeDraft(pool, 2, [0], { workspaceId })
  await launch(pool, starting, await inTime(pool, '3 days'))
  const [buyer = ''] = forking.prospectIds
  await travel('2 days')
  await happens(pool, forking, buyer)
  await travel('1 day 11 seconds')
  return workspaceId
}

async function inTime(pool: pg.Pool, interval: string): Promise<Date> {
  const { rows } = await pool.query<{ at: Date }>('SELECT app_now() + $1::interval AS at', [interval])
  return rows[0]?.at ?? new Date(0)
}

async function takeOutIn(pool: pg.Pool, { workspaceId, campaignId, ...campaign }: Branching, interval: string) {
  const enrolmentIds = await enrolmentsOf(pool, { workspaceId, campaignId, ...campaign })
  const at = await inTime(pool, interval)
  await inTransaction(pool, (tx) => removeLater(tx, workspaceId, campaignId, { enrolmentIds, at }, actor))
}

/**
 * All that actions have brought about there, without ids and times: two workspaces that were made alike, and whose actions
 * were carried out once each, say the same, however often workers were lost in between.
 */
export async function whatCameOfIt(pool: pg.Pool, workspaceId: string): Promise<string[]> {
  const { rows } = await pool.query<{ told: string }>(
    `WITH told(told) AS (
       SELECT concat_ws(' ', 'campaign', c.status) FROM campaigns c WHERE c.workspace_id = $1
       UNION ALL SELECT concat_ws(' | ', 'person', dense_rank() OVER (ORDER BY cp.campaign_id), cp.state, cp.planned_steps,
           concat_ws(' ', j.state, j.node_id, j.round, j.ended_reason),
           (SELECT string_agg(concat_ws(' ', e.step_number, e.status, e.cancel_reason), ', ' ORDER BY e.step_number) FROM scheduled_emails e
            WHERE e.campaign_prospect_id = cp.id),
           (SELECT string_agg(concat_ws(' ', w.node_id, w.round, w.outcome), ', ' ORDER BY w.node_id, w.round) FROM journey_waits w WHERE w.enrolment_id = cp.id),
           (SELECT string_agg(concat_ws(' ', s.node_id, s.round, s.what), ', ' ORDER BY s.id) FROM journey_steps s WHERE s.enrolment_id = cp.id),
           (SELECT string_agg(concat_ws(' ', a.type, a.node_id, a.round, a.status, a.reason), ', ' ORDER BY a.type, a.node_id, a.round) FROM scheduled_actions a
            WHERE a.enrolment_id = cp.id),
           (SELECT count(*) FROM list_members m WHERE m.prospect_id = cp.prospect_id),
           (SELECT company FROM prospects p WHERE p.id = cp.prospect_id),
           (SELECT count(*) FROM told_in_tests t WHERE t.prospect_id = cp.prospect_id))
         FROM campaign_prospects cp LEFT JOIN journeys j ON j.enrolment_id = cp.id WHERE cp.workspace_id = $1
       UNION ALL SELECT concat_ws(' ', 'action', a.type, a.status, a.reason) FROM scheduled_actions a WHERE a.workspace_id = $1
       UNION ALL SELECT concat_ws(' ', 'done', a.type) FROM action_attempts t JOIN scheduled_actions a ON a.id = t.action_id
         WHERE a.workspace_id = $1 AND t.outcome = 'COMPLETED')
     SELECT told FROM told ORDER BY told`,
    [workspaceId],
  )
  return rows.map(({ told }) => told)
}
