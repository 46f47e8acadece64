import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { takeFairLock } from '#lib/platform/fair-lock.ts'
import { isArchived } from '#lib/platform/rows/archived.ts'
import { lockSequence } from '#lib/sequences/sequence.ts'
import { type CLOCK, recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { type Campaign, findCampaign, loadCampaign } from './campaign.ts'
import { CAMPAIGN_STATES } from './life.ts'
import { setTimes } from './times.ts'
import { type AuditedCampaignVerb, CAMPAIGN_VERBS, type CampaignVerb, isDoneAlready } from './verbs.ts'

/** Takes effect at once for everything that is not yet marked: the mark looks at the status under lock. */
export function pauseCampaign(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<Campaign> {
  return byPerson(tx, workspaceId, id, actor, {
    verb: 'pause',
    set: `status = 'PAUSED', clock_held_since = CASE WHEN pause_holds_clock THEN app_now() END`,
  })
}

/** One that has not begun waits for its time again, where that is still to come. */
export function resumeCampaign(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<Campaign> {
  return byPerson(tx, workspaceId, id, actor, {
    verb: 'resume',
    set: `status = CASE WHEN launched_at IS NULL AND scheduled_at > app_now() THEN 'SCHEDULED' ELSE 'RUNNING' END::campaign_status,
      launched_at = CASE WHEN launched_at IS NULL AND scheduled_at > app_now() THEN NULL ELSE coalesce(launched_at, app_now()) END,
      clock_held_ms = clock_held_ms + coalesce(round(extract(epoch FROM app_now() - clock_held_since) * 1000), 0)::bigint,
      clock_held_since = NULL`,
  })
}

/**
 * Final from the moment it commits: no batch, mark, settling or recovery gets past it. What waits is then cancelled bit
 * by bit (src/lib/email-scheduler/effects/stop-campaign.ts), so that nobody else's mark waits for a large campaign to be cleared.
 */
export function endCampaign(tx: Sql, workspaceId: string, id: string, actor: Actor | typeof CLOCK): Promise<Campaign> {
  return byPerson(tx, workspaceId, id, actor, { verb: 'stop', set: `status = 'STOPPED'` })
}

export function archiveCampaign(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<Campaign> {
  return byPerson(tx, workspaceId, id, actor, { verb: 'archive', set: 'archived_at = app_now()' })
}

/** One that may still send needs its sequence, which is archived on its own: that has to come back first. */
export async function restoreCampaign(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<Campaign> {
  const { sequenceId, status } = await findCampaign(tx, workspaceId, id)
  if (status !== 'STOPPED') await lockSequence(tx, workspaceId, sequenceId)
  return byPerson(tx, workspaceId, id, actor, { verb: 'restore', set: 'archived_at = NULL' })
}

type Move = { verb: Exclude<AuditedCampaignVerb, 'launch' | 'duplicate' | 'edit'>; set: string }

/**
 * One guarded statement: of two who press the button together, one moves it, and the other finds it moved and is answered
 * the same.
 */
async function byPerson(
  tx: Sql,
  workspaceId: string,
  id: string,
  actor: Actor | typeof CLOCK,
  move: Move,
): Promise<Campaign> {
  await takeFairLock(tx, 'to change', [id])
  const before = await loadCampaign(tx, workspaceId, id)
  const { rowCount } = await tx.query(
    `UPDATE campaigns SET ${move.set}, updated_at = app_now() WHERE workspace_id = $1 AND id = $2 AND status = ANY($3::campaign_status[])
       AND (archived_at IS NOT NULL) = $4`,
    [workspaceId, id, CAMPAIGN_VERBS[move.verb].from, move.verb === 'restore'],
  )
  const campaign = await loadCampaign(tx, workspaceId, id)
  if (!campaign || !before) throw notFound()
  if (rowCount === 0) {
    if (isDoneAlready(move.verb, campaign)) return campaign
    throw refusedBy(campaign, move.verb)
  }
  await setTimes(tx, campaign)
  await auditCampaign(tx, campaign, move.verb, actor, { before: before.status, after: campaign.status })
  return campaign
}

export function refusedBy(campaign: Pick<Campaign, 'id' | 'status' | 'archivedAt'>, verb: CampaignVerb): PublicError {
  const { status, archivedAt, id } = campaign
  if (archivedAt) return isArchived('campaign', id)
  const { name, sentence } = CAMPAIGN_STATES[status]
  const { participle } = CAMPAIGN_VERBS[verb]
  return new PublicError(409, 'not-possible', `The campaign is “${name}”, so it cannot be ${participle}. ${sentence}`, {
    status,
  })
}

export function auditCampaign(
  tx: Sql,
  { workspaceId, id, name }: Pick<Campaign, 'workspaceId' | 'id' | 'name'>,
  verb: AuditedCampaignVerb,
  actor: Actor | typeof CLOCK,
  details: Record<string, string | number | boolean | null>,
): Promise<void> {
  const { action } = CAMPAIGN_VERBS[verb].audited
  return recordAudit(tx, workspaceId, { action, actor, target: { kind: 'campaign', id, name }, details })
}

/** SENT → RUNNING: a person has given it work again. Nothing where it is in another state, or archived. */
export async function reopen(tx: Sql, workspaceId: string, id: string): Promise<void> {
  await tx.query(
    `UPDATE campaigns SET status = 'RUNNING', updated_at = app_now()
     WHERE workspace_id = $1 AND id = $2 AND status = 'SENT' AND archived_at IS NULL`,
    [workspaceId, id],
  )
}
