import { suppressedProspects } from '#lib/audience/suppression/suppressed.ts'
import { type Campaign, lockCampaignShared } from '#lib/campaigns/campaign.ts'
import { coveredBeforeMerge, coveredByStopped } from '#lib/campaigns/covered.ts'
import { ENROLMENT_REASONS, type EnrolmentReason } from '#lib/campaigns/enrolment-reasons.ts'
import { beginJourneys } from '#lib/campaigns/journeys/begin.ts'
import { markPlanned, setAside, takeUnplanned, type UnplannedEnrolment } from '#lib/campaigns/unplanned.ts'
import { generateIdempotencyKey } from '#lib/email-scheduler/idempotency.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Log } from '#lib/platform/log.ts'
import { fieldsNeeded, missingSentence } from '#lib/sequences/merge-fields.ts'
import type { SequenceStep } from '#lib/sequences/steps.ts'
import { type CreateScheduledEmailInput, insertPlanned, leastMsBetween, prospectsCovered } from './insert-planned.ts'
import type { Placement, PlanRequest } from './plan-request.ts'
import { type PlannedRun, readPlannedRun } from './planned-run.ts'
import { goingOnFrom, type OpenPlan, type PlanningSession } from './planning-session.ts'
import { replanBatch } from './replan.ts'

export type BatchResult =
  /** One batch is planned; there may be more. `skipped`: the emails that its skipped enrolments do not get. */
  | { kind: 'planned'; scheduled: number; skipped: number }
  /** The workspace's settings or mailboxes changed, and what waits was planned again first; the batch is still to come. */
  | { kind: 'replanned'; emails: number }
  | { kind: 'nothing-left' }
  | { kind: 'not-running' }
  | { kind: 'not-found' }
  /** Nothing can be planned until a person mends what the sentence says. */
  | { kind: 'impossible'; sentence: string }

/**
 * Plans the next batch of one campaign and puts it into the queue, all in the open transaction: either the enrolments
 * are marked as planned and all their emails are there, or nothing happened.
 */
export async function scheduleBatch(
  tx: Sql,
  session: PlanningSession,
  { workspaceId, id, dryRunAt = null }: Pick<Campaign, 'workspaceId' | 'id'> & { dryRunAt?: Date | null },
  log: Log,
): Promise<BatchResult> {
  const plan = await session.open(tx, workspaceId, goingOnFrom(dryRunAt))
  if (!plan) return { kind: 'impossible', sentence: NO_SETTINGS }
  const replanned = await replanBatch(tx, session, plan)
  if (replanned > 0) return { kind: 'replanned', emails: replanned }

  const campaign = await lockCampaignShared(tx, workspaceId, id)
  if (!campaign) return { kind: 'not-found' }
  if (campaign.status !== 'RUNNING') return { kind: 'not-running' }
  const { steps, all, branching } = await readPlannedRun(tx, campaign.sequenceId)
  const first = steps[0]
  if (!first) return { kind: 'impossible', sentence: NO_STEPS }
  const enrolments = await takeUnplanned(tx, campaign.id, batchSizeOf(campaign, steps.length), fieldsNeeded(all))
  if (enrolments.length === 0) return { kind: 'nothing-left' }

  const { planned, aside } = await sortOut(tx, plan, campaign, first, enrolments)
  const result = plan.planner.plan(
    planned.map((enrolment) => planRequestOf(enrolment, campaign, steps)),
    mailboxesOf(campaign),
  )
  if (!result.ok) return { kind: 'impossible', sentence: result.error.sentence }
  for (const { state, code, reason, ids } of aside) {
    await setAside(tx, ids, state, { code, reason })
    log.info({ state, reason, enrolments: ids }, 'enrolments set aside')
  }
  await insertBatch(tx, session, plan, campaign, { steps, branching }, planned, result.placements)
  const skippedEnrolments = aside.flatMap(({ state, ids }) => (state === 'SKIPPED' ? ids : [])).length
  log.info(
    { campaignId: campaign.id, enrolments: planned.length, scheduled: result.placements.length, skippedEnrolments },
    'batch scheduled',
  )
  return { kind: 'planned', scheduled: result.placements.length, skipped: skippedEnrolments * steps.length }
}

/** A batch is the least that a request or a tick does: of a long sequence it has fewer enrolments, so that it stays short. */
const EMAILS_PER_BATCH_MAX = 15_000

/** The dry run asks the same: where batches end decides who comes before whom. */
export function batchSizeOf({ batchSize }: Pick<Campaign, 'batchSize'>, steps: number): number {
  return Math.max(1, Math.min(batchSize, Math.floor(EMAILS_PER_BATCH_MAX / steps)))
}

export const NO_SETTINGS = 'The workspace has no sending settings; save them first.'
export const NO_STEPS = 'The sequence has no steps; write at least one.'

export type Aside = { state: 'SKIPPED' | 'BLOCKED'; code: EnrolmentReason; reason: string; ids: string[] }

/** Which of a batch are planned, and why the others are not; the dry run asks the same. */
export async function sortOut(
  sql: Sql,
  plan: Pick<OpenPlan, 'mailboxIds' | 'workspaceId'>,
  { sequenceId }: Pick<Campaign, 'sequenceId'>,
  first: SequenceStep,
  enrolments: readonly UnplannedEnrolment[],
): Promise<{ planned: UnplannedEnrolment[]; aside: Aside[] }> {
  const prospectIds = enrolments.map(({ prospectId }) => prospectId)
  const covered = await prospectsCovered(sql, { sequenceId, firstStep: first.stepNumber }, prospectIds)
  const stopped = await coveredByStopped(sql, sequenceId, [...covered])
  const coveredByMerge = await coveredBeforeMerge(sql, sequenceId, prospectIds)
  const suppressed = await suppressedProspects(sql, plan.workspaceId, prospectIds)
  const aside = new Map<string, Aside>()
  const planned: UnplannedEnrolment[] = []
  for (const enrolment of enrolments) {
    const skipped = covered.has(enrolment.prospectId)
      ? stopped.has(enrolment.prospectId)
        ? 'covered-by-stopped'
        : 'covered'
      : coveredByMerge.has(enrolment.prospectId)
        ? 'covered-before-merge'
        : suppressed.has(enrolment.prospectId)
          ? 'suppressed'
          : (enrolment.refusal ?? mailboxRefusal(enrolment, plan))
    if (skipped === null && enrolment.missing.length === 0) {
      planned.push(enrolment)
      continue
    }
    const state = skipped === null ? 'BLOCKED' : 'SKIPPED'
    const code = skipped ?? 'missing-fields'
    const reason = skipped ? ENROLMENT_REASONS[skipped] : missingSentence(enrolment.missing)
    const same = aside.get(reason)
    if (same) same.ids.push(enrolment.id)
    else aside.set(reason, { state, code, reason, ids: [enrolment.id] })
  }
  return { planned, aside: [...aside.values()] }
}

function mailboxRefusal({ mailboxId }: UnplannedEnrolment, plan: Pick<OpenPlan, 'mailboxIds'>): EnrolmentReason | null {
  return mailboxId === null || plan.mailboxIds.has(mailboxId) ? null : 'mailbox-not-connected'
}

/** Where new people of a campaign may go; null for wherever there is a place. The dry run asks the same. */
export function mailboxesOf({ mailboxIds }: Pick<Campaign, 'mailboxIds'>): ReadonlySet<string> | null {
  return mailboxIds.length > 0 ? new Set(mailboxIds) : null
}

export function planRequestOf(
  enrolment: UnplannedEnrolment,
  campaign: Pick<Campaign, 'sequenceId'>,
  steps: readonly SequenceStep[],
): PlanRequest {
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

/** When its first email could have gone: its start, also where that was only made now. */
function beganMs({ launchedAt, scheduledAt }: Campaign, now: Date): number {
  const launchedMs = (launchedAt ?? now).getTime()
  return Math.min(launchedMs, scheduledAt?.getTime() ?? launchedMs)
}

async function insertBatch(
  tx: Sql,
  session: PlanningSession,
  plan: OpenPlan,
  campaign: Campaign,
  { steps, branching }: Pick<PlannedRun, 'steps' | 'branching'>,
  enrolments: readonly UnplannedEnrolment[],
  placements: readonly Placement[],
): Promise<void> {
  const enrolmentOf = new Map(enrolments.map((enrolment) => [enrolment.id, enrolment]))
  const began = beganMs(campaign, plan.now)
  const mailboxOf = new Map(placements.map(({ enrolmentId, mailboxId }) => [enrolmentId, mailboxId]))
  const emails: CreateScheduledEmailInput[] = placements.map((placement) => ({
    ...placement,
    prospectId: enrolmentOf.get(placement.enrolmentId)?.prospectId ?? '',
    couldGoMs:
      Math.max(began, enrolmentOf.get(placement.enrolmentId)?.enrolledAt.getTime() ?? began) +
      leastMsBetween(steps.slice(1), placement.stepNumber),
  }))
  const belongs = {
    workspaceId: plan.workspaceId,
    campaignId: campaign.id,
    sequenceId: campaign.sequenceId,
    firstStep: steps[0]?.stepNumber ?? 1,
    movesOn: branching?.run.stepNumbers.at(-1) ?? null,
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
    steps.length,
    plan.now,
  )
  if (branching)
    await beginJourneys(
      tx,
      { workspaceId: plan.workspaceId, campaignId: campaign.id, sequenceId: campaign.sequenceId, ...branching },
      enrolments.filter(({ id }) => mailboxOf.has(id)),
    )
  await session.save(tx, plan)
}
