import type pg from 'pg'
import type { GuardName } from '#lib/guardrails/guards.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Log } from '#lib/platform/log.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { readSteps, type SequenceStep } from '#lib/sequences/steps.ts'
import { ChosenTimes } from './chosen-times.ts'
import type { Placement, PlanErrorName, PlanRequest, PlanResult, PlanStep } from './plan-request.ts'
import type { OpenPlan, PlanningSession } from './planning-session.ts'

const ENROLMENTS_PER_BATCH = 500

export type Waiting = {
  id: string
  enrolmentId: string
  sequenceId: string
  mailboxId: string
  stepNumber: number
  key: string
  /** When a person wants it to go. */
  chosenAt: Date | null
}

/** The last step of an enrolment that no longer waits: what its follow-ups count from. */
type Predecessor = { enrolmentId: string; at: Date; sent: boolean }

/**
 * Plans the next batch of what waits under an older version again, in the order in which it would have gone, and
 * answers how many emails that were. New enrolments come after, so that a change of settings costs nobody their turn.
 * Emails that wait for a retry keep their time: it is the retry policy's, and the guards hold the window.
 */
export async function replanBatch(tx: Sql, session: PlanningSession, plan: OpenPlan): Promise<number> {
  const emails = await takeOutdated(tx, plan)
  if (emails.length === 0) return 0
  await giveBackPlaces(tx, plan, emails)
  const { result, unplannable, predecessors } = await planWaiting(tx, plan, emails)
  if (!result.ok) {
    // What was chosen took its places before it was known that nothing can be planned.
    session.forget(plan.workspaceId)
    await park(tx, plan, emails, BLOCKER_OF[result.error.name] ?? 'mailbox-connected')
    return emails.length
  }
  await move(tx, plan, emails, result.placements, predecessors)
  await park(tx, plan, unplannable, 'mailbox-connected')
  await session.save(tx, plan)
  return emails.length
}

type Planned = {
  result: PlanResult
  /** Their mailbox may not be planned on. */
  unplannable: Waiting[]
  predecessors: ReadonlyMap<string, Predecessor>
}

/**
 * Emails that wait: each enrolment from where it is, on the mailbox that it began with. Where that is gone and nothing was
 * sent yet, on another one that may take the people of its campaign. What a person has chosen takes its place first, whether
 * or not the date is full; the rest is planned around it.
 */
export async function planWaiting(
  sql: Sql,
  plan: Pick<OpenPlan, 'mailboxIds' | 'takers' | 'planner' | 'occupancy' | 'settings' | 'now'>,
  emails: readonly Waiting[],
): Promise<Planned> {
  const byEnrolment = Map.groupBy(emails, ({ enrolmentId }) => enrolmentId)
  const predecessors = await readPredecessors(sql, [...byEnrolment.keys()])
  const steps = await readAllSteps(sql, emails)
  const homeless = emails.filter(({ mailboxId }) => !plan.mailboxIds.has(plan.takers.get(mailboxId) ?? mailboxId))
  const named = await readNamedMailboxes(
    sql,
    homeless.map(({ enrolmentId }) => enrolmentId),
  )
  const times = new ChosenTimes(plan.settings, plan.now)
  const mailboxIds = [...plan.mailboxIds].toSorted()
  const requests: PlanRequest[] = []
  const unplannable: Waiting[] = []
  const kept: Placement[] = []
  for (const [index, [enrolmentId, waiting]] of [...byEnrolment].entries()) {
    const first = waiting[0]
    if (!first) continue
    const predecessor = predecessors.get(enrolmentId)
    const sticky = plan.takers.get(first.mailboxId) ?? first.mailboxId
    const others = named.get(enrolmentId)?.filter((id) => plan.mailboxIds.has(id))
    const isFree = !predecessor && !plan.mailboxIds.has(sticky)
    const mailboxId = isFree ? (others ? (others[index % others.length] ?? sticky) : null) : sticky
    if (mailboxId !== null && !plan.mailboxIds.has(mailboxId)) {
      unplannable.push(...waiting)
      continue
    }
    const split = times.split(
      waiting.map((email) => ({ ...stepOf(email, steps), chosenAt: email.chosenAt })),
      predecessor,
    )
    // What is kept has no planner to choose its mailbox.
    const own = split.kept.size > 0 ? (mailboxId ?? mailboxIds[index % mailboxIds.length]) : mailboxId
    if (own) for (const [step, atMs] of split.kept) kept.push(times.place(enrolmentId, step, own, atMs))
    requests.push(...split.runs.map((run) => ({ enrolmentId, mailboxId: own ?? null, ...run })))
  }
  for (const { mailboxId, scheduledForMs, jitterSeconds } of kept)
    plan.occupancy.insert(mailboxId, times.dayAt(scheduledForMs), scheduledForMs, jitterSeconds)
  const result = plan.planner.plan(requests)
  return {
    result: result.ok ? { ok: true, placements: [...kept, ...result.placements] } : result,
    unplannable,
    predecessors,
  }
}

/** Of enrolments whose campaign says from where its people get their emails; all others may get them from anywhere. */
async function readNamedMailboxes(sql: Sql, enrolmentIds: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
  if (enrolmentIds.length === 0) return new Map()
  const { rows } = await sql.query<{ id: string; mailboxIds: string[] }>(
    `SELECT e.id, c.mailbox_ids AS "mailboxIds" FROM campaign_prospects e JOIN campaigns c ON c.id = e.campaign_id
     WHERE e.id = ANY($1::uuid[]) AND c.mailbox_ids <> '{}'`,
    [plainArray([...new Set(enrolmentIds)])],
  )
  return new Map(rows.map(({ id, mailboxIds }) => [id, mailboxIds]))
}

/** Whole enrolments, so that no step is planned apart from the one before it. */
async function takeOutdated(tx: Sql, plan: OpenPlan): Promise<Waiting[]> {
  const { rows } = await tx.query<Waiting>(
    `WITH outdated AS (
       SELECT campaign_prospect_id, min(scheduled_for) AS goes FROM (
         SELECT campaign_prospect_id, scheduled_for FROM scheduled_emails
         WHERE workspace_id = $1 AND status = 'SCHEDULED' AND plan_version < $2 AND kind = 'CAMPAIGN'
         ORDER BY plan_version, scheduled_for LIMIT $3) first
       GROUP BY 1), locked AS MATERIALIZED (
       -- By id, like everybody who locks several emails; the order below is that of planning.
       SELECT e.id FROM outdated o JOIN scheduled_emails e ON e.campaign_prospect_id = o.campaign_prospect_id
       WHERE e.status = 'SCHEDULED' ORDER BY e.id FOR UPDATE OF e)
     SELECT e.id, e.campaign_prospect_id AS "enrolmentId", e.sequence_id AS "sequenceId", e.mailbox_id AS "mailboxId",
       e.step_number AS "stepNumber", e.idempotency_key AS key, e.chosen_at AS "chosenAt"
     FROM locked JOIN scheduled_emails e ON e.id = locked.id
     JOIN outdated o ON o.campaign_prospect_id = e.campaign_prospect_id
     WHERE e.status = 'SCHEDULED'
     ORDER BY o.goes, e.campaign_prospect_id, e.step_number
     FOR UPDATE OF e`,
    [plan.workspaceId, plan.version, ENROLMENTS_PER_BATCH],
  )
  return rows
}

/** Those of an outdated enrolment that have a place under the current version already leave it. */
export async function giveBackPlaces(tx: Sql, plan: OpenPlan, emails: readonly Waiting[]): Promise<void> {
  await tx.query(
    `INSERT INTO freed_places (workspace_id, mailbox_id, plan_version, local_date, emails)
     SELECT workspace_id, mailbox_id, plan_version, local_date, count(*) FROM scheduled_emails
     WHERE id = ANY($1::uuid[]) AND plan_version = $2 AND blocker IS NULL GROUP BY 1, 2, 3, 4`,
    [plainArray(emails.map(({ id }) => id)), plan.version],
  )
}

async function readPredecessors(tx: Sql, enrolmentIds: readonly string[]): Promise<Map<string, Predecessor>> {
  const { rows } = await tx.query<Predecessor>(
    `SELECT DISTINCT ON (campaign_prospect_id) campaign_prospect_id AS "enrolmentId",
       -- What was come to by a branch counts from then.
       greatest(coalesce(sent_at, next_retry_at, scheduled_for), (SELECT arrived_at FROM journeys j WHERE j.enrolment_id = campaign_prospect_id)) AS at,
       status = 'SENT' AS sent
     FROM scheduled_emails
     WHERE campaign_prospect_id = ANY($1::uuid[]) AND status IN ('SENT', 'SENDING', 'RETRY_SCHEDULED', 'OUTCOME_UNKNOWN')
     ORDER BY campaign_prospect_id, step_number DESC`,
    [plainArray(enrolmentIds)],
  )
  return new Map(rows.map((row) => [row.enrolmentId, row]))
}

export async function readAllSteps(tx: Sql, emails: readonly Waiting[]): Promise<Map<string, SequenceStep[]>> {
  const steps = new Map<string, SequenceStep[]>()
  for (const { sequenceId } of emails) {
    if (!steps.has(sequenceId)) steps.set(sequenceId, await readSteps(tx, sequenceId))
  }
  return steps
}

export function stepOf({ sequenceId, stepNumber, key }: Waiting, steps: ReadonlyMap<string, SequenceStep[]>): PlanStep {
  const delayDays = steps.get(sequenceId)?.find((step) => step.stepNumber === stepNumber)?.delayDays ?? 0
  return { stepNumber, delayDays, key }
}

export async function move(
  tx: Sql,
  plan: OpenPlan,
  emails: readonly Waiting[],
  placements: readonly Placement[],
  predecessors: ReadonlyMap<string, Predecessor>,
): Promise<void> {
  const idOf = new Map(emails.map(({ key, id }) => [key, id]))
  const firstStep = new Map<string, number>()
  for (const { enrolmentId, stepNumber } of emails)
    firstStep.set(enrolmentId, Math.min(stepNumber, firstStep.get(enrolmentId) ?? stepNumber))
  const mayBeClaimed = ({ enrolmentId, stepNumber }: Placement) =>
    firstStep.get(enrolmentId) === stepNumber && (predecessors.get(enrolmentId)?.sent ?? true)
  await tx.query(
    `UPDATE scheduled_emails e SET scheduled_for = to_timestamp(p.at_ms / 1000), local_date = p.local_date, jitter_seconds = p.jitter,
       mailbox_id = p.mailbox_id, plan_version = $1, blocker = NULL, updated_at = $2,
       limited_by = p.limited_by, limited_on = p.limited_on,
       ready_at = CASE WHEN p.claimable THEN to_timestamp(p.at_ms / 1000) END
     FROM unnest($3::uuid[], $4::float8[], $5::date[], $6::int[], $7::uuid[], $8::bool[], $9::text[], $10::date[])
       AS p(id, at_ms, local_date, jitter, mailbox_id, claimable, limited_by, limited_on)
     WHERE e.id = p.id AND e.status = 'SCHEDULED'`,
    [
      plan.version,
      plan.now,
      plainArray(placements.map(({ key }) => idOf.get(key) ?? '')),
      plainArray(placements.map(({ scheduledForMs }) => scheduledForMs)),
      plainArray(placements.map(({ localDate }) => localDate)),
      plainArray(placements.map(({ jitterSeconds }) => jitterSeconds)),
      plainArray(placements.map(({ mailboxId }) => mailboxId)),
      plainArray(placements.map((placement) => (mayBeClaimed(placement) ? 't' : 'f'))),
      plainArray(placements.map(({ limitedBy }) => limitedBy)),
      plainArray(placements.map(({ limitedOn }) => limitedOn)),
    ],
  )
}

/** The guard that a person must lift where the workspace cannot plan anything at all; elsewhere it is the mailbox. */
const BLOCKER_OF: Partial<Record<PlanErrorName, GuardName>> = {
  'no-sending-day': 'sending-window',
  'no-capacity': 'mailbox-limit',
}

/** They keep their time and wait; whatever lifts the blocker changes the plan's basis, and that plans them again. */
async function park(tx: Sql, plan: OpenPlan, emails: readonly Waiting[], blocker: GuardName): Promise<void> {
  await tx.query(
    `UPDATE scheduled_emails SET plan_version = $2, blocker = $4, ready_at = NULL, updated_at = $3
     WHERE id = ANY($1::uuid[])`,
    [plainArray(emails.map(({ id }) => id)), plan.version, plan.now, blocker],
  )
}

type Run = { log: Log; mayContinue(): boolean; session: PlanningSession }

/** Plans everything of a workspace that waits under an older version again, a batch for each transaction; answers how many emails. */
export async function replanWorkspace(
  pool: pg.Pool,
  workspaceId: string,
  { log, mayContinue, session }: Run,
): Promise<number> {
  let replanned = 0
  while (mayContinue()) {
    const emails = await session.inTransaction(pool, workspaceId, async (tx) => {
      const plan = await session.open(tx, workspaceId)
      return plan ? replanBatch(tx, session, plan) : 0
    })
    replanned += emails
    if (emails === 0) break
  }
  if (replanned > 0) log.info({ workspaceId, replanned }, 'what waits was planned again')
  return replanned
}
