import { type BehindEnrolment, markAppended, markStepsPlanned, takeBehind } from '#lib/campaigns/appended.ts'
import { type Campaign, lockCampaignShared } from '#lib/campaigns/campaign.ts'
import { cancelWaiting } from '#lib/email-scheduler/effects/cancel-waiting.ts'
import { lockOwners } from '#lib/email-scheduler/effects/owners.ts'
import { cancelSuccessors } from '#lib/email-scheduler/effects/successors.ts'
import { generateIdempotencyKey } from '#lib/email-scheduler/idempotency.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { ScheduledEmailStatus } from '#lib/platform/generated/enums.ts'
import { readSteps } from '#lib/sequences/steps.ts'
import { insertPlanned } from './insert-planned.ts'
import type { PlanningSession } from './planning-session.ts'
import { replanBatch } from './replan.ts'

type LastEmail = { id: string; enrolmentId: string; status: ScheduledEmailStatus; at: Date }

export type AppendResult = { kind: 'appended'; scheduled: number; lastId: string } | { kind: 'waits' | 'nothing-left' }

/**
 * Gives the next batch of planned enrolments the emails of steps that were appended to their sequence. Each counts from
 * the email before it, as a follow-up does; where that will not come, or the prospect has left, the new emails are
 * there and cancelled with that reason, so that the ledger has a row for every step.
 */
export async function appendBatch(
  tx: Sql,
  session: PlanningSession,
  { workspaceId, id }: Pick<Campaign, 'workspaceId' | 'id'>,
  afterId: string | null,
): Promise<AppendResult> {
  const plan = await session.open(tx, workspaceId)
  if (!plan || (await replanBatch(tx, session, plan)) > 0) return { kind: 'waits' }
  const campaign = await lockCampaignShared(tx, workspaceId, id)
  if (campaign?.status !== 'RUNNING') return { kind: 'nothing-left' }
  const steps = await readSteps(tx, campaign.sequenceId)
  const handedOn = [...plan.takers].flatMap(([id, taker]) => (plan.mailboxIds.has(taker) ? [id] : []))
  const mailboxIds = [...plan.mailboxIds, ...handedOn]
  const behind = await takeBehind(tx, campaign, { steps: steps.length, mailboxIds, afterId })
  const last = behind.at(-1)
  if (!last) {
    await markStepsPlanned(tx, id, steps.length)
    return { kind: 'nothing-left' }
  }
  const before = await readLastEmails(tx, behind)
  const result = plan.planner.plan(
    behind.map(({ id: enrolmentId, prospectId, mailboxId, plannedSteps }) => ({
      enrolmentId,
      mailboxId: plan.takers.get(mailboxId) ?? mailboxId,
      predecessorAtMs: before.get(enrolmentId)?.at.getTime() ?? null,
      steps: steps.slice(plannedSteps).map(({ stepNumber, delayDays }) => ({
        stepNumber,
        delayDays,
        key: generateIdempotencyKey(prospectId, campaign.sequenceId, stepNumber),
      })),
    })),
  )
  if (!result.ok) return { kind: 'waits' }

  const enrolmentOf = new Map(behind.map((enrolment) => [enrolment.id, enrolment]))
  const emails = result.placements.map((placement) => ({
    ...placement,
    prospectId: enrolmentOf.get(placement.enrolmentId)?.prospectId ?? '',
  }))
  /** The step that may be claimed at its time: the first new one, where the one before it is sent; else none. */
  const claimableStep = ({ enrolmentId }: { enrolmentId: string }) =>
    before.get(enrolmentId)?.status === 'SENT' ? (enrolmentOf.get(enrolmentId)?.plannedSteps ?? 0) + 1 : 0
  const { version, now } = plan
  for (const [firstStep, group] of Map.groupBy(emails, claimableStep))
    await insertPlanned(
      tx,
      { workspaceId, campaignId: id, sequenceId: campaign.sequenceId, firstStep, version, now },
      group,
    )
  await markAppended(
    tx,
    behind.map((enrolment) => enrolment.id),
    steps.length,
  )
  await session.save(tx, plan)
  await cancelUnwanted(tx, workspaceId, behind, [...before.values()])
  return { kind: 'appended', scheduled: emails.length, lastId: last.id }
}

/**
 * Locked, so that a settlement of one of them either has done so and is seen here, or waits and then finds the new
 * emails behind it: none is left waiting for a step that has come or failed already.
 */
async function readLastEmails(tx: Sql, behind: readonly BehindEnrolment[]): Promise<Map<string, LastEmail>> {
  const { rows } = await tx.query<LastEmail>(
    `SELECT e.id, e.campaign_prospect_id AS "enrolmentId", e.status, coalesce(e.sent_at, e.next_retry_at, e.scheduled_for) AS at
     FROM unnest($1::uuid[], $2::int[]) AS b(id, step)
     JOIN scheduled_emails e ON e.campaign_prospect_id = b.id AND e.step_number = b.step
     ORDER BY e.id FOR SHARE OF e`,
    [behind.map(({ id }) => id), behind.map(({ plannedSteps }) => plannedSteps)],
  )
  return new Map(rows.map((row) => [row.enrolmentId, row]))
}

async function cancelUnwanted(
  tx: Sql,
  workspaceId: string,
  behind: readonly BehindEnrolment[],
  before: readonly LastEmail[],
): Promise<void> {
  const ids = (status: ScheduledEmailStatus) => before.filter((email) => email.status === status).map(({ id }) => id)
  await cancelSuccessors(tx, ids('PERMANENTLY_FAILED'), 'PREDECESSOR_FAILED')
  await cancelSuccessors(tx, ids('CANCELLED'), 'PREDECESSOR_CANCELLED')
  const left = new Map(behind.filter(({ hasLeft }) => hasLeft).map(({ id, prospectId }) => [id, prospectId]))
  if (left.size === 0) return
  const theirs = before.filter(({ enrolmentId }) => left.has(enrolmentId))
  const reasons = await lockOwners(
    tx,
    theirs.map(({ id }) => id),
  )
  for (const { id, enrolmentId } of theirs) {
    const reason = reasons.get(id)
    const prospectId = left.get(enrolmentId)
    if (reason && prospectId) await cancelWaiting(tx, workspaceId, { prospectId }, reason)
  }
}
