import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { CampaignStatus } from '#lib/platform/generated/enums.ts'
import { type AuditAction, recordAudit } from '#lib/tenancy/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { type Campaign, loadCampaign } from './campaign.ts'
import { ARCHIVABLE, CAMPAIGN_STATES, statesBefore } from './life.ts'

/** Takes effect at once for everything that is not yet marked: the mark looks at the status under lock. */
export function pauseCampaign(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<Campaign> {
  return byPerson(tx, workspaceId, id, actor, {
    verb: 'paused',
    from: statesBefore('PAUSED'),
    set: `status = 'PAUSED'`,
  })
}

/** One that has not begun waits for its time again, where that is still to come. */
export function resumeCampaign(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<Campaign> {
  return byPerson(tx, workspaceId, id, actor, {
    verb: 'resumed',
    from: ['PAUSED'],
    set: `status = CASE WHEN launched_at IS NULL AND scheduled_at > app_now() THEN 'SCHEDULED' ELSE 'RUNNING' END::campaign_status,
      launched_at = CASE WHEN launched_at IS NULL AND scheduled_at > app_now() THEN NULL ELSE coalesce(launched_at, app_now()) END`,
  })
}

/**
 * Final from the moment it commits: no batch, mark, settling or recovery gets past it. What waits is then cancelled bit
 * by bit (src/lib/email-scheduler/stop-campaign.ts), so that nobody else's mark waits for a large campaign to be cleared.
 */
export function endCampaign(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<Campaign> {
  return byPerson(tx, workspaceId, id, actor, {
    verb: 'stopped',
    from: statesBefore('STOPPED'),
    set: `status = 'STOPPED'`,
  })
}

export function archiveCampaign(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<Campaign> {
  return byPerson(tx, workspaceId, id, actor, {
    verb: 'archived',
    from: ARCHIVABLE,
    set: 'archived_at = coalesce(archived_at, app_now())',
  })
}

type Move = { verb: 'paused' | 'resumed' | 'stopped' | 'archived'; from: readonly CampaignStatus[]; set: string }

/** One guarded statement: of two who press the button together, one moves it and the other is told how it stands. */
async function byPerson(tx: Sql, workspaceId: string, id: string, actor: Actor, move: Move): Promise<Campaign> {
  const before = await loadCampaign(tx, workspaceId, id)
  const { rowCount } = await tx.query(
    `UPDATE campaigns SET ${move.set}, updated_at = app_now() WHERE workspace_id = $1 AND id = $2 AND status = ANY($3::campaign_status[])
       AND archived_at IS NULL`,
    [workspaceId, id, move.from],
  )
  const campaign = await loadCampaign(tx, workspaceId, id)
  if (!campaign || !before || (campaign.archivedAt && rowCount === 0)) throw notFound()
  if (rowCount === 0) throw refusedBy(campaign, move.verb)
  await auditCampaign(tx, campaign, `campaign.${move.verb}`, actor, { before: before.status, after: campaign.status })
  return campaign
}

export function refusedBy({ status }: Pick<Campaign, 'status'>, verb: string): PublicError {
  const { name, sentence } = CAMPAIGN_STATES[status]
  return new PublicError(409, 'not-possible', `The campaign is ${name}, so it cannot be ${verb}. ${sentence}`, {
    status,
  })
}

export function auditCampaign(
  tx: Sql,
  { workspaceId, id, name }: Pick<Campaign, 'workspaceId' | 'id' | 'name'>,
  action: Extract<AuditAction, `campaign.${string}`>,
  actor: Actor,
  details: Record<string, string | number | boolean | null>,
): Promise<void> {
  return recordAudit(tx, workspaceId, { action, actor, target: { kind: 'campaign', id, name }, details })
}

/** SENT → RUNNING: somebody has given it work again. Nothing where it is in another state. */
export async function reopen(tx: Sql, workspaceId: string, id: string): Promise<void> {
  await tx.query(
    `UPDATE campaigns SET status = 'RUNNING', archived_at = NULL, updated_at = app_now() WHERE workspace_id = $1 AND id = $2 AND status = 'SENT'`,
    [workspaceId, id],
  )
}
