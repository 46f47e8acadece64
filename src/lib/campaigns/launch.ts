import { PublicError } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { markLaunched } from '#lib/sequences/change-sequence.ts'
import { lockSequence } from '#lib/sequences/sequence.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { recheckBlocked } from './blocked.ts'
import { type Campaign, findCampaign, lockCampaign } from './campaign.ts'
import { auditCampaign, refusedBy } from './move.ts'
import { findProblems } from './problems.ts'

/**
 * Launches now, or for a later time. Everything that is wrong is said at once and nothing happens. Pressed twice, the
 * second finds it launched: both wait here for the sequence and then for the campaign.
 */
export async function launchCampaign(
  tx: Sql,
  workspaceId: string,
  id: string,
  at: Date | null,
  actor: Actor,
): Promise<Campaign> {
  if (at) refuseOddTime(at, await appNow(tx))
  const { sequenceId } = await findCampaign(tx, workspaceId, id)
  const sequence = await lockSequence(tx, workspaceId, sequenceId)
  const campaign = await lockCampaign(tx, workspaceId, id)
  if (campaign.sequenceId !== sequenceId || campaign.archivedAt)
    throw new PublicError(409, 'changed-meanwhile', 'Somebody has just changed the campaign; look at it again.')
  if (campaign.status !== 'DRAFT' && campaign.status !== 'SCHEDULED') throw refusedBy(campaign, 'launched')
  await recheckBlocked(tx, campaign)
  const problems = await findProblems(tx, campaign, sequence)
  if (problems.length > 0) {
    const sentences = problems.map(({ sentence }) => sentence).join(' ')
    throw new PublicError(409, 'not-ready', `The campaign cannot be launched yet. ${sentences}`, { problems })
  }
  await markLaunched(tx, sequenceId)
  await tx.query(
    `UPDATE campaigns SET status = CASE WHEN $2::timestamptz > app_now() THEN 'SCHEDULED' ELSE 'RUNNING' END::campaign_status,
       scheduled_at = $2, launched_at = CASE WHEN $2::timestamptz > app_now() THEN NULL ELSE app_now() END,
       steps_planned = $3, updated_at = app_now()
     WHERE id = $1`,
    [id, at, sequence.steps.length],
  )
  const launched = await findCampaign(tx, workspaceId, id)
  await auditCampaign(tx, launched, 'campaign.launched', actor, { startsAt: at?.toISOString() ?? null })
  return launched
}

const MINUTE_MS = 60_000
const YEAR_MS = 366 * 24 * 60 * MINUTE_MS

/** A mistyped date must neither start a campaign at once nor let it wait for ever: what is sent cannot be taken back. */
function refuseOddTime(at: Date, now: Date): void {
  const aheadMs = at.getTime() - now.getTime()
  if (aheadMs < -MINUTE_MS)
    throw new PublicError(400, 'in-the-past', 'That time has passed. Launch without a time to start now.')
  if (aheadMs > YEAR_MS)
    throw new PublicError(400, 'too-far-ahead', 'That is more than a year from now. Choose an earlier time.')
}
