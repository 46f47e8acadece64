import { ACTION_TYPES, type ActionType } from '#lib/actions/action-types.ts'
import { ACTION_STATES, ACTION_VERBS, type ActionStatus, type ActionVerb } from '#lib/actions/states.ts'
import { cancelOneAction, retryOneAction } from '#lib/actions/verbs.ts'
import { changeCampaign } from '#lib/campaigns/draft.ts'
import { leaveJourneys } from '#lib/campaigns/journeys/leave.ts'
import { pauseCampaign } from '#lib/campaigns/move.ts'
import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'

type Found = {
  id: string
  type: ActionType
  status: ActionStatus
  campaignId: string
  enrolmentId: string | null
}

/**
 * What a person does with one action. To cancel is to undo what it stands for, and not only its row: a campaign without its
 * start is paused, one without its end goes on, and a person who waits in a sequence leaves it; else the sweep would set
 * it again.
 */
export async function actOnAction(
  tx: Sql,
  workspaceId: string,
  id: string,
  verb: ActionVerb,
  actor: Actor,
): Promise<void> {
  const found = await find(tx, workspaceId, id)
  // People and campaigns before actions, like everywhere.
  if (verb === 'cancel' && isPossible(verb, found.status)) await undo(tx, workspaceId, found, actor)
  const done = verb === 'retry' ? await retryOneAction(tx, id) : await cancelOneAction(tx, id)
  const now = await find(tx, workspaceId, id)
  const isDone = verb === 'cancel' ? now.status === 'CANCELLED' : now.status === 'PENDING'
  if (!done && !isDone) {
    const { name, sentence } = ACTION_STATES[now.status]
    const message = `The action is “${name}”, so it cannot be ${ACTION_VERBS[verb].participle}. ${sentence}`
    throw new PublicError(409, 'not-possible', message, { status: now.status })
  }
  if (found.status === now.status) return
  await recordAudit(tx, workspaceId, {
    action: verb === 'retry' ? 'action.retried' : 'action.cancelled',
    actor,
    target: { kind: 'action', id, name: ACTION_TYPES[found.type].name },
    details: { before: found.status, after: now.status },
  })
}

const isPossible = (verb: ActionVerb, status: ActionStatus) => ACTION_VERBS[verb].from.some((from) => from === status)

async function undo(
  tx: Sql,
  workspaceId: string,
  { type, campaignId, enrolmentId }: Found,
  actor: Actor,
): Promise<void> {
  if (type === 'START_CAMPAIGN') await pauseCampaign(tx, workspaceId, campaignId, actor)
  else if (type === 'END_CAMPAIGN') await changeCampaign(tx, workspaceId, campaignId, { endsAt: null }, actor)
  else if (enrolmentId && (type === 'WAIT' || type === 'TIMEOUT' || type === 'MOVE_ON'))
    await leaveJourneys(tx, { enrolmentIds: [enrolmentId] }, 'BY_PERSON')
}

async function find(tx: Sql, workspaceId: string, id: string): Promise<Found> {
  const { rows } = await tx.query<Found>(
    `SELECT id, type, status, campaign_id AS "campaignId", enrolment_id AS "enrolmentId" FROM scheduled_actions WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  )
  if (!rows[0]) throw notFound()
  return rows[0]
}
