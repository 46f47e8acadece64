import { type Campaign, lockCampaignShared } from '#lib/campaigns/campaign.ts'
import { endJourneys } from '#lib/campaigns/journeys/leave.ts'
import { markRunsPlanned, type ToPlan, takeToPlan } from '#lib/campaigns/journeys/to-plan.ts'
import { generateIdempotencyKey } from '#lib/email-scheduler/idempotency.ts'
import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { type EmailRun, emailsFrom } from '#lib/sequences/graph/compile-graph.ts'
import { readKeptGraphs } from '#lib/sequences/graph/graph-versions.ts'
import { readSteps } from '#lib/sequences/steps.ts'
import type { AppendResult } from './append-steps.ts'
import { insertPlanned, leastMsBetween } from './insert-planned.ts'
import type { PlanRequest } from './plan-request.ts'
import type { PlanningSession } from './planning-session.ts'
import { replanBatch } from './replan.ts'

type Wanted = { journey: ToPlan; run: EmailRun }

/**
 * Plans the emails that people have come to by a branch or after a wait: the next batch of one campaign. The first of them
 * counts from when they came there, and the step before it has been sent. Who left in between, or had one of these steps
 * before, ends here: nobody is asked about again and again.
 */
export async function planBranchBatch(
  tx: Sql,
  session: PlanningSession,
  { workspaceId, id }: Pick<Campaign, 'workspaceId' | 'id'>,
  afterId: string | null,
): Promise<AppendResult> {
  const plan = await session.open(tx, workspaceId)
  if (!plan || (await replanBatch(tx, session, plan)) > 0) return { kind: 'waits' }
  const campaign = await lockCampaignShared(tx, workspaceId, id)
  if (campaign?.status !== 'RUNNING') return { kind: 'nothing-left' }
  const handedOn = [...plan.takers].flatMap(([from, taker]) => (plan.mailboxIds.has(taker) ? [from] : []))
  const taken = await takeToPlan(tx, campaign, { mailboxIds: [...plan.mailboxIds, ...handedOn], afterId })
  const last = taken.at(-1)
  if (!last) return { kind: 'nothing-left' }

  const { wanted, keys } = await findRuns(tx, campaign.sequenceId, taken)
  const steps = await readSteps(tx, campaign.sequenceId)
  const delays = new Map(steps.map((step) => [step.stepNumber, step.delayDays]))
  const result = plan.planner.plan(
    wanted.map(
      ({ journey, run }): PlanRequest => ({
        enrolmentId: journey.enrolmentId,
        mailboxId: plan.takers.get(journey.mailboxId) ?? journey.mailboxId,
        predecessorAtMs: journey.arrivedAt.getTime(),
        steps: run.stepNumbers.map((stepNumber) => ({
          stepNumber,
          delayDays: delays.get(stepNumber) ?? 0,
          key: keyOf(journey, stepNumber),
        })),
      }),
    ),
  )
  if (!result.ok) return { kind: 'waits' }
  const wantedOf = new Map(wanted.map((one) => [one.journey.enrolmentId, one]))
  const emails = result.placements.map((placement) => ({
    ...placement,
    prospectId: wantedOf.get(placement.enrolmentId)?.journey.prospectId ?? '',
    couldGoMs: couldGo(wantedOf.get(placement.enrolmentId), placement.stepNumber, steps),
  }))
  const runOf = ({ enrolmentId }: { enrolmentId: string }) => wantedOf.get(enrolmentId)?.run.stepNumbers ?? []
  const { version, now } = plan
  for (const [run, group] of Map.groupBy(emails, (email) => runOf(email).join())) {
    const numbers = run.split(',').map(Number)
    const belongs = { workspaceId, campaignId: id, sequenceId: campaign.sequenceId, version, now }
    const firstStep = numbers[0] ?? 0
    const inserted = await insertPlanned(tx, { ...belongs, firstStep, movesOn: numbers.at(-1) ?? null }, group)
    // Under the plan's lock nobody else can have taken a key since it was looked for.
    if (inserted.size !== group.length) throw new Error(`keys of campaign ${id} were taken under the plan’s lock`)
  }
  await markRunsPlanned(
    tx,
    wanted.map(({ journey, run }) => ({
      enrolmentId: journey.enrolmentId,
      nodeId: run.lastNodeId,
      lastStep: run.stepNumbers.at(-1) ?? 0,
      emails: run.stepNumbers.length,
    })),
  )
  await session.save(tx, plan)
  await endJourneys(
    tx,
    taken.flatMap(({ enrolmentId, left }) => {
      if (wantedOf.has(enrolmentId)) return []
      return [{ enrolmentId, reason: left ?? (keys.has(enrolmentId) ? 'HAD_BEFORE' : 'NOT_IN_GRAPH') } as const]
    }),
  )
  return { kind: 'appended', scheduled: emails.length, lastId: last.enrolmentId }
}

function couldGo(wanted: Wanted | undefined, stepNumber: number, steps: Parameters<typeof leastMsBetween>[0]): number {
  const run = steps.filter((step) => wanted?.run.stepNumbers.includes(step.stepNumber))
  return (wanted?.journey.arrivedAt.getTime() ?? 0) + leastMsBetween(run, stepNumber)
}

const keyOf = ({ prospectId, sequenceId }: ToPlan, stepNumber: number) =>
  generateIdempotencyKey(prospectId, sequenceId, stepNumber)

/** Their emails, by the version that each goes through; and who had one of these steps already, however that came. */
async function findRuns(
  tx: Sql,
  sequenceId: string,
  taken: readonly ToPlan[],
): Promise<{ wanted: Wanted[]; keys: Set<string> }> {
  const graphs = await readKeptGraphs(
    tx,
    sequenceId,
    taken.map(({ graphVersion }) => graphVersion),
  )
  const found = taken.flatMap((journey): Wanted[] => {
    const graph = graphs.get(journey.graphVersion)
    const run = graph && journey.nodeId !== null ? emailsFrom(graph, journey.nodeId) : undefined
    return run && run.stepNumbers.length > 0 && journey.left === null ? [{ journey, run }] : []
  })
  const keys = found.flatMap(({ journey, run }) => run.stepNumbers.map((stepNumber) => keyOf(journey, stepNumber)))
  const { rows } = await tx.query<{ key: string }>(
    'SELECT idempotency_key AS key FROM scheduled_emails WHERE idempotency_key = ANY($1::text[])',
    [plainArray(keys)],
  )
  const there = new Set(rows.map(({ key }) => key))
  const had = (one: Wanted) => one.run.stepNumbers.some((stepNumber) => there.has(keyOf(one.journey, stepNumber)))
  return {
    wanted: found.filter((one) => !had(one)),
    keys: new Set(found.filter(had).map(({ journey }) => journey.enrolmentId)),
  }
}
