import { type Campaign, holdCampaign } from '#lib/campaigns/campaign.ts'
import { markPlanned, markSkipped, takeUnplanned, type UnplannedEnrolment } from '#lib/campaigns/unplanned.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Log } from '#lib/platform/log.ts'
import { readSteps, type SequenceStep } from '#lib/sequences/steps.ts'
import { generateIdempotencyKey } from './idempotency.ts'
import { insertPlanned, type PlannedEmail, prospectsCovered } from './insert-planned.ts'
import type { Placement, PlanRequest } from './plan.ts'
import type { OpenPlan, PlanDesk } from './plan-desk.ts'
import { replanBatch } from './replan.ts'

export type BatchResult =
  /** One batch is planned; there may be more. */
  | { kind: 'planned'; scheduled: number; skippedEnrolments: number }
  /** The workspace's settings or mailboxes changed, and what waits was planned again first; the batch is still to come. */
  | { kind: 'replanned'; emails: number }
  | { kind: 'nothing-left' }
  | { kind: 'not-running' }
  | { kind: 'not-found' }
  /** Nothing can be planned until somebody mends what the sentence says. */
  | { kind: 'impossible'; sentence: string }

/**
 * Plans the next batch of one campaign and puts it into the queue, all in the open transaction: either the enrolments
 * are marked as planned and all their emails are there, or nothing happened.
 */
export async function scheduleBatch(
  tx: Sql,
  desk: PlanDesk,
  { workspaceId, id }: Pick<Campaign, 'workspaceId' | 'id'>,
  log: Log,
): Promise<BatchResult> {
  const plan = await desk.open(tx, workspaceId)
  if (!plan) return { kind: 'impossible', sentence: 'The workspace has no sending settings; save them first.' }
  const replanned = await replanBatch(tx, desk, plan)
  if (replanned > 0) return { kind: 'replanned', emails: replanned }

  const campaign = await holdCampaign(tx, workspaceId, id)
  if (!campaign) return { kind: 'not-found' }
  if (campaign.status !== 'RUNNING') return { kind: 'not-running' }
  const steps = await readSteps(tx, campaign.sequenceId)
  const first = steps[0]
  if (!first) return { kind: 'impossible', sentence: 'The sequence has no steps; write at least one.' }
  const enrolments = await takeUnplanned(tx, campaign.id, campaign.batchSize)
  if (enrolments.length === 0) return { kind: 'nothing-left' }

  const covered = await prospectsCovered(
    tx,
    { sequenceId: campaign.sequenceId, firstStep: first.stepNumber },
    enrolments.map(({ prospectId }) => prospectId),
  )
  const { planned, skippedEnrolments } = await skipSome(tx, plan, enrolments, covered, log)
  const result = plan.planner.plan(planned.map((enrolment) => requestFor(enrolment, campaign, steps)))
  if (!result.ok) return { kind: 'impossible', sentence: result.error.sentence }
  await insertBatch(tx, desk, plan, campaign, first, planned, result.placements)
  log.info(
    { campaignId: campaign.id, enrolments: planned.length, scheduled: result.placements.length, skippedEnrolments },
    'batch scheduled',
  )
  return { kind: 'planned', scheduled: result.placements.length, skippedEnrolments }
}

async function skipSome(
  tx: Sql,
  plan: OpenPlan,
  enrolments: readonly UnplannedEnrolment[],
  covered: ReadonlySet<string>,
  log: Log,
) {
  const skipped = new Map<string, string[]>()
  const planned: UnplannedEnrolment[] = []
  for (const enrolment of enrolments) {
    const reason = covered.has(enrolment.prospectId)
      ? 'Another campaign has already taken the prospect through this sequence.'
      : (enrolment.refusal ?? mailboxRefusal(enrolment, plan))
    if (reason === null) planned.push(enrolment)
    else skipped.set(reason, [...(skipped.get(reason) ?? []), enrolment.id])
  }
  for (const [reason, ids] of skipped) {
    await markSkipped(tx, ids, reason)
    log.info({ reason, enrolments: ids }, 'enrolments skipped')
  }
  return { planned, skippedEnrolments: enrolments.length - planned.length }
}

function mailboxRefusal({ mailboxId }: UnplannedEnrolment, plan: OpenPlan): string | null {
  return mailboxId === null || plan.mailboxIds.has(mailboxId)
    ? null
    : 'The mailbox that it was to leave from is not connected.'
}

function requestFor(enrolment: UnplannedEnrolment, campaign: Campaign, steps: readonly SequenceStep[]): PlanRequest {
  return {
    enrolmentId: enrolment.id,
    mailboxId: enrolment.mailboxId,
    predecessorAtMs: null,
    steps: steps.map(({ stepNumber, delayDays }) => ({
      stepNumber,
      delayDays,
      key: generateIdempotencyKey(enrolment.prospectId, campaign.sequenceId, stepNumber),
    })),
  }
}

async function insertBatch(
  tx: Sql,
  desk: PlanDesk,
  plan: OpenPlan,
  campaign: Campaign,
  first: SequenceStep,
  enrolments: readonly UnplannedEnrolment[],
  placements: readonly Placement[],
): Promise<void> {
  const prospectOf = new Map(enrolments.map(({ id, prospectId }) => [id, prospectId]))
  const mailboxOf = new Map(placements.map(({ enrolmentId, mailboxId }) => [enrolmentId, mailboxId]))
  const emails: PlannedEmail[] = placements.map((placement) => ({
    ...placement,
    prospectId: prospectOf.get(placement.enrolmentId) ?? '',
  }))
  const belongs = {
    workspaceId: plan.workspaceId,
    campaignId: campaign.id,
    sequenceId: campaign.sequenceId,
    firstStep: first.stepNumber,
    version: plan.version,
    now: plan.now,
  }
  const inserted = await insertPlanned(tx, belongs, emails)
  // Under the plan's lock nobody else can have taken a key since it was looked for.
  if (inserted.size !== emails.length)
    throw new Error(`${emails.length - inserted.size} keys of campaign ${campaign.id} were taken under the plan's lock`)
  await markPlanned(
    tx,
    [...mailboxOf].map(([id, mailboxId]) => ({ id, mailboxId })),
    plan.now,
  )
  await desk.save(tx, plan)
}
