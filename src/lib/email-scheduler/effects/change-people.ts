import { changeEnrolments } from '#lib/campaigns/change-enrolments.ts'
import type { EnrolmentAction } from '#lib/campaigns/enrolment-actions.ts'
import { takeUpJourneys } from '#lib/campaigns/journeys/take-up.ts'
import { reopen } from '#lib/campaigns/move.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { CLOCK } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { cancelWaiting } from './cancel-waiting.ts'
import { unpark } from './unpark.ts'

export type PeopleChanged = {
  changed: number
  /** Emails that waited for them and will not be sent. */
  cancelled: number
}

/**
 * Pauses, resumes, removes or puts back people of one campaign. Who is removed gets nothing more of it; what a worker
 * holds at that moment still goes out, as when a single email is cancelled.
 */
export async function changePeople(
  tx: Sql,
  workspaceId: string,
  campaignId: string,
  { action, enrolmentIds }: { action: EnrolmentAction; enrolmentIds: readonly string[] },
  actor: Actor | typeof CLOCK,
): Promise<PeopleChanged> {
  if (action === 'put_back') await reopen(tx, workspaceId, campaignId)
  const { ids, prospectIds } = await changeEnrolments(tx, workspaceId, campaignId, action, enrolmentIds, actor)
  if (action === 'resume') await unpark(tx, workspaceId, { prospectIds }, 'prospect-active')
  if (action === 'put_back') await takeUpJourneys(tx, workspaceId, ids)
  const cancelled = action === 'remove' ? await cancelWaiting(tx, workspaceId, { enrolmentIds: ids }, 'BY_PERSON') : 0
  return { changed: ids.length, cancelled }
}
