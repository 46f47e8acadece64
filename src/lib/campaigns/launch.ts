import { PublicError } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { takeFairLock } from '#lib/platform/fair-lock.ts'
import { refuseArchived } from '#lib/platform/rows/archived.ts'
import { markLaunched } from '#lib/sequences/change-sequence.ts'
import { lockSequence } from '#lib/sequences/sequence.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { recheckBlocked } from './blocked.ts'
import { type Campaign, findCampaign, lockCampaign } from './campaign.ts'
import { auditCampaign, refusedBy } from './move.ts'
import { refuseEndBeforeStart, refuseOddTime } from './odd-time.ts'
import { findProblems } from './problems.ts'
import { setTimes } from './times.ts'
import { isDoneAlready, isPossible } from './verbs.ts'

/**
 * Launches for the time that is asked for, or that was set before where none is; `null` is now. Everything that is wrong is
 * said at once and nothing happens. Pressed twice, the second finds it launched and is answered the same: both wait here for
 * the sequence and then for the campaign.
 */
export async function launchCampaign(
  tx: Sql,
  workspaceId: string,
  id: string,
  asked: Date | null | undefined,
  actor: Actor,
): Promise<Campaign> {
  const { sequenceId, ...found } = await findCampaign(tx, workspaceId, id)
  refuseArchived('campaign', found)
  // Both before any row, as a mark does that shares them.
  await takeFairLock(tx, 'to change', [sequenceId, id])
  const sequence = await lockSequence(tx, workspaceId, sequenceId)
  const campaign = await lockCampaign(tx, workspaceId, id)
  if (isLaunchedFor(campaign, asked)) return campaign
  const now = await appNow(tx)
  if (asked) refuseOddTime(asked, now)
  const at = asked === undefined ? setBefore(campaign, now) : asked
  if (campaign.sequenceId !== sequenceId || campaign.archivedAt)
    throw new PublicError(409, 'changed-meanwhile', 'The campaign has just been changed; look at it again.')
  if (!isPossible('launch', campaign)) throw refusedBy(campaign, 'launch')
  refuseEndBeforeStart(campaign.endsAt, at && at > now ? at : now)
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
  await setTimes(tx, launched)
  await auditCampaign(tx, launched, 'launch', actor, { startsAt: at?.toISOString() ?? null })
  return launched
}

/** The same wish again, also long after: the time that it names may have passed by now. */
function isLaunchedFor(campaign: Campaign, asked: Date | null | undefined): boolean {
  const isSame = asked === undefined || campaign.scheduledAt?.getTime() === asked?.getTime()
  return isDoneAlready('launch', campaign) && isSame
}

/** What was meant for Christmas and has not come yet does not start at once because the launch does not say it again. */
function setBefore({ scheduledAt }: Campaign, now: Date): Date | null {
  return scheduledAt && scheduledAt > now ? scheduledAt : null
}
