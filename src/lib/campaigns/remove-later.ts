import { scheduleActions } from '#lib/actions/schedule.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { refuseArchived } from '#lib/platform/rows/archived.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { findCampaign } from './campaign.ts'
import { refuseOddTime } from './odd-time.ts'

/**
 * Takes people out of a campaign at a time to come: an action for each, which an admin can cancel until then. Twice for the
 * same time is once. Answers for how many it is set.
 */
export async function removeLater(
  tx: Sql,
  workspaceId: string,
  campaignId: string,
  { enrolmentIds, at }: { enrolmentIds: readonly string[]; at: Date },
  actor: Actor,
): Promise<number> {
  const campaign = await findCampaign(tx, workspaceId, campaignId)
  refuseArchived('campaign', campaign)
  if (campaign.status === 'STOPPED')
    throw new PublicError(409, 'campaign-stopped', 'The campaign was stopped, and that is final; nothing of it moves.')
  refuseOddTime(at, await appNow(tx))
  const { rows } = await tx.query<{ enrolmentId: string; prospectId: string }>(
    `SELECT id AS "enrolmentId", prospect_id AS "prospectId" FROM campaign_prospects
     WHERE campaign_id = $1 AND id = ANY($2::uuid[]) AND state IN ('PENDING', 'BLOCKED', 'ACTIVE') ORDER BY id`,
    [campaignId, plainArray(enrolmentIds)],
  )
  await scheduleActions(
    tx,
    workspaceId,
    rows.map((row) => ({
      ...row,
      ...{ type: 'CANCEL' as const, campaignId, dueAt: at },
      dedupeKey: `cancel:${row.enrolmentId}:${at.getTime()}`,
    })),
  )
  if (rows.length > 0)
    await recordAudit(tx, workspaceId, {
      action: 'campaign.people-changed',
      actor,
      target: { kind: 'campaign', id: campaignId, name: campaign.name },
      details: { action: `to be removed at ${at.toISOString()}`, people: rows.length },
    })
  return rows.length
}
