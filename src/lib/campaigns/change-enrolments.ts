import { suppressedProspects } from '#lib/audience/suppression/suppressed.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { refuseArchived } from '#lib/platform/rows/archived.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { type CLOCK, recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { recheckBlocked } from './blocked.ts'
import { type Campaign, findCampaign, lockCampaignShared } from './campaign.ts'
import type { EnrolmentAction } from './enrolment-actions.ts'
import { ENROLMENT_REASONS, REMOVED } from './enrolment-reasons.ts'
import { CAN_BE_TAKEN_UP } from './journeys/take-up.ts'

const DONE: Record<EnrolmentAction, string> = {
  pause: 'paused',
  resume: 'resumed',
  remove: 'removed',
  put_back: 'put back',
}

/** The enrolments that are of this campaign and may be changed so; their prospects are locked until the end. */
export type ChangedEnrolments = { campaign: Campaign; ids: string[]; prospectIds: string[] }

/**
 * Changes what of the enrolments is this module's: the mark of a pause, and who is left out. Their prospects are locked
 * first, as the mark of an email shares them: what is paused here is not handed over once this has been answered.
 */
export async function changeEnrolments(
  tx: Sql,
  workspaceId: string,
  campaignId: string,
  action: EnrolmentAction,
  enrolmentIds: readonly string[],
  actor: Actor | typeof CLOCK,
): Promise<ChangedEnrolments> {
  const found = await findCampaign(tx, workspaceId, campaignId)
  const campaign = (await lockCampaignShared(tx, workspaceId, campaignId)) ?? found
  refuseArchived('campaign', campaign)
  if (campaign.status === 'STOPPED')
    throw new PublicError(409, 'campaign-stopped', 'The campaign was stopped, and that is final; nothing of it moves.')
  const wanted = plainArray(enrolmentIds)
  const { rows: people } = await tx.query<{ id: string }>(
    `SELECT id FROM prospects WHERE id IN (SELECT prospect_id FROM campaign_prospects WHERE campaign_id = $1 AND id = ANY($2::uuid[]))
     ORDER BY id FOR NO KEY UPDATE`,
    [campaignId, wanted],
  )
  const suppressed =
    action === 'put_back'
      ? await suppressedProspects(
          tx,
          workspaceId,
          people.map(({ id }) => id),
        )
      : new Map()
  const more: Record<EnrolmentAction, unknown[]> = {
    pause: [],
    resume: [],
    remove: [REMOVED, ENROLMENT_REASONS[REMOVED]],
    put_back: [plainArray([...suppressed.keys()])],
  }
  const { rows } = await tx.query<{ id: string; prospectId: string }>(
    `UPDATE campaign_prospects SET ${CHANGES[action]} AND campaign_id = $1 AND id = ANY($2::uuid[])
     RETURNING id, prospect_id AS "prospectId"`,
    [campaignId, wanted, ...more[action]],
  )
  const [ids, prospectIds] = [rows.map(({ id }) => id), rows.map(({ prospectId }) => prospectId)]
  if (action === 'put_back') await recheckBlocked(tx, campaign, prospectIds)
  if (ids.length > 0)
    await recordAudit(tx, workspaceId, {
      action: 'campaign.people-changed',
      actor,
      target: { kind: 'campaign', id: campaign.id, name: campaign.name },
      details: { action: DONE[action], people: ids.length },
    })
  return { campaign, ids, prospectIds }
}

/** Of an enrolment that has emails only those are cancelled, by the caller: it stays in its state until they are over. */
const CHANGES: Record<EnrolmentAction, string> = {
  pause: `paused_at = app_now() WHERE paused_at IS NULL AND state <> 'FINISHED'`,
  resume: `paused_at = NULL WHERE paused_at IS NOT NULL`,
  remove: `state = CASE WHEN planned_at IS NULL THEN 'SKIPPED' ELSE state END::enrolment_state,
    reason_code = CASE WHEN planned_at IS NULL THEN $3 ELSE reason_code END,
    reason = CASE WHEN planned_at IS NULL THEN $4 ELSE reason END
    WHERE state IN ('PENDING', 'BLOCKED', 'ACTIVE')`,
  put_back: `state = CASE WHEN planned_at IS NULL THEN 'PENDING' ELSE 'ACTIVE' END::enrolment_state, reason_code = NULL, reason = NULL
    WHERE (CASE WHEN planned_at IS NULL THEN state = 'SKIPPED' AND reason_code = '${REMOVED}' ELSE NOT prospect_id = ANY($3::uuid[])
      AND EXISTS (SELECT FROM journeys j WHERE j.enrolment_id = campaign_prospects.id AND ${CAN_BE_TAKEN_UP}) END)`,
}
