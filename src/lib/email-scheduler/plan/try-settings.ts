import { SendingCalendar } from '#lib/guardrails/calendar.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { localDateOf } from '#lib/platform/time/local-date.ts'
import { Planner } from './plan.ts'
import { readFreshOccupancy } from './planned-days.ts'
import { readPlanningMailboxes } from './planning-mailboxes.ts'
import { planWaiting, type Waiting } from './replan.ts'
import { readTakers } from './takers.ts'

/** What other settings would do to what waits. */
export type SettingsEffect = {
  /** Looked at, in the order in which they would be planned again. */
  emails: number
  /** Of these, those that would go in another minute. */
  moved: number
  lastBefore: Date | null
  lastAfter: Date | null
  /** False where there was more than could be looked at: what is told is true of the first. */
  isComplete: boolean
  /** Why nothing could be planned at all, in words. */
  impossible: string | null
}

const EMAILS_PER_BATCH = 500
const EMAILS_MAX = 50_000
const MINUTE_MS = 60_000

type Place = { version: number; at: Date; id: string }
type Planned = Waiting & { scheduledFor: Date }

/**
 * The plan that a change of settings would lead to, by the planner's own steps and without a row written or locked:
 * batch after batch in the order of planning again (replan.ts), over what is really sent by now.
 */
export async function trySettings(
  sql: Sql,
  workspaceId: string,
  settings: SendingSettings,
  mayContinue: () => boolean,
): Promise<SettingsEffect> {
  const calendar = new SendingCalendar(settings)
  const now = await appNow(sql)
  const today = calendar.dayAt(now.getTime())
  const mailboxes = await readPlanningMailboxes(sql, workspaceId, localDateOf(today - 1))
  const occupancy = await readFreshOccupancy(sql, workspaceId, {
    ...{ today, todayStartMs: calendar.startMs(today), nowMs: now.getTime() },
  })
  const plan = {
    planner: new Planner({ settings, mailboxes, occupancy, nowMs: now.getTime() }),
    mailboxIds: new Set(mailboxes.map(({ id }) => id)),
    takers: await readTakers(sql, workspaceId),
    ...{ occupancy, settings, now },
  }
  const effect: SettingsEffect = {
    ...{ emails: 0, moved: 0, lastBefore: null, lastAfter: null, isComplete: true, impossible: null },
  }
  const seen = new Set<string>()
  for (let after: Place | null = null; ; ) {
    const batch: Place[] = await readBatch(sql, workspaceId, after)
    after = batch.at(-1) ?? null
    if (!after) return effect
    if (!mayContinue() || effect.emails >= EMAILS_MAX) return { ...effect, isComplete: false }
    const emails = await readEnrolments(
      sql,
      batch.map(({ id }) => id),
      seen,
    )
    const { result } = await planWaiting(sql, plan, emails)
    if (!result.ok) return { ...effect, impossible: result.error.sentence }
    occupancy.takeChangedLanes()
    const times = new Map(result.placements.map(({ key, scheduledForMs }) => [key, scheduledForMs]))
    for (const email of emails) count(effect, email.scheduledFor, times.get(email.key))
  }
}

function count(effect: SettingsEffect, before: Date, afterMs: number | undefined): void {
  // What no mailbox may be planned for keeps its time, and waits.
  const after = afterMs === undefined ? before : new Date(afterMs)
  effect.emails += 1
  if (Math.abs(after.getTime() - before.getTime()) >= MINUTE_MS) effect.moved += 1
  if (effect.lastBefore === null || before > effect.lastBefore) effect.lastBefore = before
  if (effect.lastAfter === null || after > effect.lastAfter) effect.lastAfter = after
}

async function readBatch(sql: Sql, workspaceId: string, after: Place | null): Promise<Place[]> {
  const { rows } = await sql.query<Place>(
    `SELECT id, plan_version AS version, scheduled_for AS at FROM scheduled_emails
     WHERE workspace_id = $1 AND status = 'SCHEDULED' AND kind = 'CAMPAIGN' AND (plan_version, scheduled_for, id) > ($2, $3, $4)
     ORDER BY plan_version, scheduled_for, id LIMIT $5`,
    [
      workspaceId,
      after?.version ?? -1,
      after?.at ?? new Date(0),
      after?.id ?? '00000000-0000-0000-0000-000000000000',
      EMAILS_PER_BATCH,
    ],
  )
  return rows
}

/** Everything that waits for the people of these emails, those of an earlier batch left out. */
async function readEnrolments(sql: Sql, ids: readonly string[], seen: Set<string>): Promise<Planned[]> {
  const { rows } = await sql.query<Planned>(
    `SELECT e.id, e.campaign_prospect_id AS "enrolmentId", e.sequence_id AS "sequenceId", e.mailbox_id AS "mailboxId",
       e.step_number AS "stepNumber", e.idempotency_key AS key, e.chosen_at AS "chosenAt", e.scheduled_for AS "scheduledFor"
     FROM (SELECT campaign_prospect_id, min(scheduled_for) AS goes FROM scheduled_emails WHERE id = ANY($1::uuid[]) GROUP BY 1) o
     JOIN scheduled_emails e ON e.campaign_prospect_id = o.campaign_prospect_id
     WHERE e.status = 'SCHEDULED' ORDER BY o.goes, e.campaign_prospect_id, e.step_number`,
    [plainArray(ids)],
  )
  const fresh = rows.filter(({ enrolmentId }) => !seen.has(enrolmentId))
  for (const { enrolmentId } of fresh) seen.add(enrolmentId)
  return fresh
}
