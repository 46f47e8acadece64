import { countPlannedIn, lockCampaignsSharedOn } from '#lib/campaigns/appended.ts'
import { recheckBlocked } from '#lib/campaigns/blocked.ts'
import { referenceProblems } from '#lib/campaigns/journeys/graph-references.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Expected } from '#lib/platform/rows/row-version.ts'
import { changeSequence, type SequenceInput } from '#lib/sequences/change-sequence.ts'
import type { SequenceWithSteps } from '#lib/sequences/sequence.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { unpark } from './unpark.ts'

/** What a change does to what is planned already. All zero before the first launch. */
export type EditEffect = {
  /** Waiting emails that will go out with other words. */
  emailsReworded: number
  /** Waiting emails that are planned again, since a wait before them changed. */
  emailsMoved: number
  /** Enrolments that get an email for each appended step. */
  enrolmentsExtended: number
  campaigns: number
  /** Emails of the reworded steps that have gone out: they stay as they are. */
  emailsSent: number
  /** One of the reworded emails, to look at before and after. */
  example: { stepNumber: number; prospectId: string; mailboxId: string } | null
}

const NONE: EditEffect = {
  emailsReworded: 0,
  emailsMoved: 0,
  enrolmentsExtended: 0,
  campaigns: 0,
  emailsSent: 0,
  example: null,
}

/**
 * Changes a sequence and, once it has been launched, what waits because of it, in one transaction: the same call, tried
 * out and taken back, counts beforehand what it would do.
 */
export async function editSequence(
  tx: Sql,
  workspaceId: string,
  id: string,
  input: Partial<SequenceInput>,
  actor: Actor,
  expected?: Expected,
): Promise<{ sequence: SequenceWithSteps; effect: EditEffect }> {
  const { sequence, changes } = await changeSequence(tx, workspaceId, id, input, actor, expected)
  const gone = sequence.launchedAt && sequence.graph ? await referenceProblems(tx, workspaceId, id, sequence.graph) : []
  if (gone.length > 0) throw new PublicError(409, 'sequence-in-use', gone[0]?.sentence ?? '', { graphProblems: gone })
  const campaigns = await lockCampaignsSharedOn(tx, id, {
    // Of one that branches, who is on the way goes on through the version that they began with.
    hasNewSteps: changes.appended.length > 0 && sequence.graph === null,
  })
  for (const campaign of campaigns) await recheckBlocked(tx, campaign)
  // A text that needs less, or has a fallback by now, lets those go on who were held back for what they lack.
  if (changes.texts.length > 0) await unpark(tx, workspaceId, { sequenceId: id }, 'merge-fields-complete')
  const effect: EditEffect = { ...NONE }
  if (sequence.launchedAt) {
    const ids = campaigns.map((campaign) => campaign.id)
    effect.campaigns = ids.length
    effect.emailsReworded = await countWaiting(tx, ids, changes.texts)
    effect.emailsSent = await countSent(tx, id, changes.texts)
    effect.example = await findWaiting(tx, ids, changes.texts)
    // The first email waits for nothing: what is written as its wait moves nobody.
    const moved = changes.delays.filter((stepNumber) => stepNumber > 1)
    if (moved.length > 0) effect.emailsMoved = await planAgainFrom(tx, ids, Math.min(...moved))
    if (changes.appended.length > 0 && sequence.graph === null)
      effect.enrolmentsExtended = await countPlannedIn(tx, ids)
    const { example: _, ...counts } = effect
    await recordAudit(tx, workspaceId, {
      action: 'sequence.changed',
      actor,
      target: { kind: 'sequence', id, name: sequence.name },
      details: counts,
    })
  }
  return { sequence, effect }
}

async function countWaiting(tx: Sql, campaignIds: readonly string[], stepNumbers: readonly number[]): Promise<number> {
  if (stepNumbers.length === 0) return 0
  const { rows } = await tx.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM scheduled_emails
     WHERE campaign_id = ANY($1::uuid[]) AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND step_number = ANY($2::int[])`,
    [campaignIds, stepNumbers],
  )
  return rows[0]?.count ?? 0
}

/** In whatever campaign, stopped and archived ones too. */
async function countSent(tx: Sql, sequenceId: string, stepNumbers: readonly number[]): Promise<number> {
  if (stepNumbers.length === 0) return 0
  const { rows } = await tx.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM scheduled_emails
     WHERE campaign_id IN (SELECT id FROM campaigns WHERE sequence_id = $1) AND status = 'SENT' AND step_number = ANY($2::int[])`,
    [sequenceId, stepNumbers],
  )
  return rows[0]?.count ?? 0
}

/** The one that is due next, of the earliest step. */
async function findWaiting(
  tx: Sql,
  campaignIds: readonly string[],
  stepNumbers: readonly number[],
): Promise<EditEffect['example']> {
  if (stepNumbers.length === 0) return null
  const { rows } = await tx.query<NonNullable<EditEffect['example']>>(
    `SELECT step_number AS "stepNumber", prospect_id AS "prospectId", mailbox_id AS "mailboxId" FROM scheduled_emails
     WHERE campaign_id = ANY($1::uuid[]) AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND step_number = ANY($2::int[])
     ORDER BY step_number, scheduled_for, id LIMIT 1`,
    [campaignIds, stepNumbers],
  )
  return rows[0] ?? null
}

/** What waits of these steps gives its place back and is planned again (version 0) before it can be claimed. */
async function planAgainFrom(tx: Sql, campaignIds: readonly string[], stepNumber: number): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `WITH waiting AS (
       SELECT id, workspace_id, mailbox_id, plan_version, local_date, blocker FROM scheduled_emails
       WHERE campaign_id = ANY($1::uuid[]) AND status = 'SCHEDULED' AND step_number >= $2 ORDER BY id FOR UPDATE
     ), moved AS (
       UPDATE scheduled_emails e SET plan_version = 0, ready_at = NULL, updated_at = app_now() FROM waiting w WHERE e.id = w.id
     ), freed AS (
       INSERT INTO freed_places (workspace_id, mailbox_id, plan_version, local_date, emails)
       SELECT workspace_id, mailbox_id, plan_version, local_date, count(*) FROM waiting
       WHERE plan_version > 0 AND blocker IS NULL GROUP BY 1, 2, 3, 4)
     SELECT count(*)::int AS count FROM waiting`,
    [campaignIds, stepNumber],
  )
  return rows[0]?.count ?? 0
}
