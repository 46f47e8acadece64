import { type OpenPlan, PlanningSession } from '#lib/email-scheduler/plan/planning-session.ts'
import { giveBackPlaces, move, readAllSteps, stepOf, type Waiting } from '#lib/email-scheduler/plan/replan.ts'
import { isWaiting, type ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import { SendingCalendar } from '#lib/guardrails/calendar.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { EmailKind } from '#lib/platform/generated/enums.ts'
import { localDateOf } from '#lib/platform/time/local-date.ts'
import { answerEach, lockOwned, type OwnedEmail, type PersonAnswer, refusalByOwner } from './person-verb.ts'

type Chosen = Waiting & { kind: EmailKind; status: ScheduledEmailStatus; jitterSeconds: number }

/**
 * A person gives waiting emails another time. What they choose counts as it is, moved into the sending window, and is
 * kept by every later plan; the other guards are asked when it goes, as ever. The steps that follow are planned again
 * from there. The places in the plan move
 * with them, so the plan is the first lock, as for every batch. A retry keeps its place: only its time is another.
 */
export async function reschedule(
  tx: Sql,
  workspaceId: string,
  ids: readonly string[],
  at: Date,
): Promise<PersonAnswer[]> {
  const desk = new PlanningSession()
  const plan = await desk.open(tx, workspaceId)
  const owned = await lockOwned(tx, workspaceId, ids)
  const calendar = plan && new SendingCalendar(plan.settings)
  const openMs = calendar?.nextOpenMs(at.getTime()) ?? null
  if (!plan || !calendar || openMs === null)
    return answerEach(ids, owned, new Map(), (email) => refusal(email) ?? 'never-open')

  const wanted = owned.filter((email) => refusal(email) === undefined).map(({ id }) => id)
  const day = calendar.dayAt(openMs)
  const chosen = await readChosen(tx, wanted)
  await tx.query(
    `UPDATE scheduled_emails SET next_retry_at = $2, ready_at = $2, blocker = NULL, updated_at = app_now()
     WHERE id = ANY($1::uuid[]) AND status = 'RETRY_SCHEDULED'`,
    [wanted, new Date(openMs)],
  )
  const planned = chosen.filter(({ kind, status }) => kind === 'CAMPAIGN' && status === 'SCHEDULED')
  const following = await readFollowing(tx, planned, at)
  await giveBackPlaces(tx, plan, planned)
  await tx.query(
    `UPDATE scheduled_emails e SET scheduled_for = $2, chosen_at = $5, local_date = $3, plan_version = $4, updated_at = app_now(),
       limited_by = NULL, limited_on = NULL,
       ready_at = CASE WHEN blocker IS NULL AND NOT EXISTS (
         SELECT FROM scheduled_emails b WHERE b.campaign_prospect_id = e.campaign_prospect_id
           AND b.step_number < e.step_number AND b.status <> 'SENT') THEN $2::timestamptz END
     WHERE id = ANY($1::uuid[]) AND status = 'SCHEDULED'`,
    [wanted, new Date(openMs), localDateOf(day), plan.version, at],
  )
  for (const email of planned) plan.occupancy.insert(email.mailboxId, day, openMs, email.jitterSeconds)
  await planFollowing(tx, plan, following, openMs)
  await desk.save(tx, plan)
  const done = new Map<string, ScheduledEmailStatus>(chosen.map(({ id, status }) => [id, status]))
  return answerEach(ids, owned, done, (email) => refusal(email) ?? 'not-possible')
}

function refusal(email: OwnedEmail) {
  return isWaiting(email.status) ? refusalByOwner(email) : 'not-possible'
}

const COLUMNS = `e.id, e.campaign_prospect_id AS "enrolmentId", e.sequence_id AS "sequenceId", e.mailbox_id AS "mailboxId",
  e.step_number AS "stepNumber", e.idempotency_key AS key, e.chosen_at AS "chosenAt"`

async function readChosen(tx: Sql, ids: readonly string[]): Promise<Chosen[]> {
  const { rows } = await tx.query<Chosen>(
    `SELECT ${COLUMNS}, e.kind, e.status, e.jitter_seconds AS "jitterSeconds" FROM scheduled_emails e
     WHERE e.id = ANY($1::uuid[]) ORDER BY e.id`,
    [ids],
  )
  return rows
}

/** The later steps that wait, up to the next one for which a later time was chosen: that one keeps it. */
async function readFollowing(tx: Sql, chosen: readonly Waiting[], at: Date): Promise<Waiting[]> {
  const { rows } = await tx.query<Waiting>(
    `SELECT DISTINCT ${COLUMNS} FROM scheduled_emails p
     JOIN scheduled_emails e ON e.campaign_prospect_id = p.campaign_prospect_id AND e.step_number > p.step_number
     WHERE p.id = ANY($1::uuid[]) AND e.status = 'SCHEDULED' AND NOT (e.id = ANY($1::uuid[]))
       AND NOT EXISTS (SELECT FROM scheduled_emails k WHERE k.campaign_prospect_id = p.campaign_prospect_id
         AND k.step_number > p.step_number AND k.step_number <= e.step_number AND k.status = 'SCHEDULED' AND k.chosen_at > $2
         AND NOT (k.id = ANY($1::uuid[])))
     ORDER BY "enrolmentId", "stepNumber"`,
    [chosen.map(({ id }) => id), at],
  )
  return rows
}

/** Where they cannot be planned (their mailbox has stopped, say) they keep their times, and the guards see to the rest. */
async function planFollowing(
  tx: Sql,
  plan: OpenPlan,
  following: readonly Waiting[],
  predecessorAtMs: number,
): Promise<void> {
  const steps = await readAllSteps(tx, following)
  const byEnrolment = Map.groupBy(following, ({ enrolmentId }) => enrolmentId)
  const result = plan.planner.plan(
    [...byEnrolment].map(([enrolmentId, emails]) => ({
      enrolmentId,
      mailboxId: emails[0]?.mailboxId ?? null,
      steps: emails.map((email) => stepOf(email, steps)),
      predecessorAtMs,
    })),
  )
  if (!result.ok) return
  await giveBackPlaces(tx, plan, following)
  const notSentYet = { at: new Date(predecessorAtMs), sent: false }
  await move(
    tx,
    plan,
    following,
    result.placements,
    new Map([...byEnrolment.keys()].map((enrolmentId) => [enrolmentId, { enrolmentId, ...notSentYet }])),
  )
}
