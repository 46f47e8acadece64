import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { type DayNumber, localDateOf } from '#lib/platform/time/local-date.ts'
import { Occupancy, type PlannedLane } from './occupancy.ts'
import { mailboxNeedsTimes } from './plan-capacity.ts'
import type { PlanningMailbox } from './planning-mailboxes.ts'

type Row = {
  mailboxId: string
  localDate: string
  emails: number
  firstAt: Date
  firstJitterSeconds: number
  lastAt: Date
}

/**
 * The capacity taken from `today` on (and the date before, which rolling limits and spacing look back to). What should
 * have left by now and still waits goes first today, so it counts as today's.
 */
export async function readOccupancy(
  tx: Sql,
  workspaceId: string,
  version: number,
  mailboxes: readonly PlanningMailbox[],
  { today, todayStartMs, nowMs }: { today: DayNumber; todayStartMs: number; nowMs: number },
): Promise<Occupancy> {
  const horizon = localDateOf(today - 1)
  const lanes = await readLanes(tx, workspaceId, version, horizon)
  await addTimes(tx, { workspaceId, version, horizon }, lanes, mailboxes)
  addOverdue(lanes, await countOverdue(tx, workspaceId, todayStartMs), localDateOf(today), nowMs)
  return new Occupancy(lanes)
}

/** As a new version of the plan begins: with what was really sent, and what should have been. */
export async function readFreshOccupancy(
  sql: Sql,
  workspaceId: string,
  { today, todayStartMs, nowMs }: { today: DayNumber; todayStartMs: number; nowMs: number },
): Promise<Occupancy> {
  const { rows } = await sql.query<{ mailboxId: string; localDate: string; emails: number }>(
    `SELECT d.mailbox_id AS "mailboxId", d.local_date AS "localDate", d.reserved AS emails
     FROM mailbox_days d JOIN mailboxes m ON m.id = d.mailbox_id
     WHERE m.workspace_id = $1 AND d.local_date >= $2 AND d.reserved > 0`,
    [workspaceId, localDateOf(today - 1)],
  )
  const lanes = rows.map((row) => ({ ...row, firstAtMs: nowMs, firstJitterSeconds: 0, lastAtMs: nowMs }))
  addOverdue(lanes, await countOverdue(sql, workspaceId, todayStartMs), localDateOf(today), nowMs)
  return new Occupancy(lanes)
}

function addOverdue(
  lanes: PlannedLane[],
  overdue: { mailboxId: string; emails: number }[],
  today: string,
  nowMs: number,
): void {
  for (const { mailboxId, emails } of overdue) {
    const lane = lanes.find((one) => one.mailboxId === mailboxId && one.localDate === today)
    if (lane) {
      lane.emails += emails
      lane.overdueEmails = emails
    } else {
      lanes.push({
        mailboxId,
        localDate: today,
        emails,
        overdueEmails: emails,
        firstAtMs: nowMs,
        firstJitterSeconds: 0,
        lastAtMs: nowMs,
      })
    }
  }
}

async function readLanes(tx: Sql, workspaceId: string, version: number, horizon: string): Promise<PlannedLane[]> {
  const { rows } = await tx.query<Row>(
    `SELECT mailbox_id AS "mailboxId", local_date AS "localDate", emails, first_at AS "firstAt",
       first_jitter_seconds AS "firstJitterSeconds", last_at AS "lastAt" FROM planned_days
     WHERE workspace_id = $1 AND plan_version = $2 AND local_date >= $3`,
    [workspaceId, version, horizon],
  )
  return rows.map(({ firstAt, lastAt, ...lane }) => ({
    ...lane,
    firstAtMs: firstAt.getTime(),
    lastAtMs: lastAt.getTime(),
  }))
}

/** Each email's time, for the few mailboxes whose rolling limit could bind. A lane of which some have left stays without. */
async function addTimes(
  tx: Sql,
  plan: { workspaceId: string; version: number; horizon: string },
  lanes: PlannedLane[],
  mailboxes: readonly PlanningMailbox[],
): Promise<void> {
  const most = new Map<string, number>()
  for (const { mailboxId, emails } of lanes) most.set(mailboxId, Math.max(most.get(mailboxId) ?? 0, emails))
  const near = mailboxes.filter((mailbox) => mailboxNeedsTimes(mailbox, most.get(mailbox.id) ?? 0)).map(({ id }) => id)
  if (near.length === 0 || lanes.length === 0) return
  const { rows } = await tx.query<{ mailboxId: string; localDate: string; timesMs: number[] }>(
    `SELECT mailbox_id AS "mailboxId", local_date AS "localDate",
       array_agg(extract(epoch FROM scheduled_for)::float8 * 1000 ORDER BY scheduled_for) AS "timesMs"
     FROM scheduled_emails
     WHERE workspace_id = $1 AND plan_version = $2 AND status = 'SCHEDULED' AND mailbox_id = ANY($3::uuid[]) AND local_date >= $4
     GROUP BY 1, 2`,
    [plan.workspaceId, plan.version, plainArray(near), plan.horizon],
  )
  const times = new Map(rows.map((row) => [`${row.mailboxId} ${row.localDate}`, row.timesMs]))
  for (const lane of lanes) {
    const found = times.get(`${lane.mailboxId} ${lane.localDate}`)
    if (found) lane.timesMs = found
  }
}

async function countOverdue(tx: Sql, workspaceId: string, todayStartMs: number) {
  const { rows } = await tx.query<{ mailboxId: string; emails: number }>(
    `SELECT e.mailbox_id AS "mailboxId", count(*)::int AS emails
     FROM mailboxes m JOIN campaigns c ON c.workspace_id = m.workspace_id
     JOIN scheduled_emails e ON e.mailbox_id = m.id AND e.campaign_id = c.id
     WHERE m.workspace_id = $1 AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND e.ready_at < to_timestamp($2::float8 / 1000)
     GROUP BY 1`,
    [workspaceId, todayStartMs],
  )
  return rows
}

/** Writes back the lanes that a batch changed. */
export async function savePlannedDays(
  tx: Sql,
  workspaceId: string,
  version: number,
  occupancy: Occupancy,
): Promise<void> {
  const lanes = occupancy.takeChangedLanes()
  await tx.query(
    `INSERT INTO planned_days (workspace_id, plan_version, mailbox_id, local_date, emails, first_at, first_jitter_seconds, last_at)
     SELECT $1, $2, l.mailbox_id, l.local_date, l.emails, to_timestamp(l.first_ms / 1000), l.jitter, to_timestamp(l.last_ms / 1000)
     FROM unnest($3::uuid[], $4::date[], $5::int[], $6::float8[], $7::int[], $8::float8[])
       AS l(mailbox_id, local_date, emails, first_ms, jitter, last_ms)
     ON CONFLICT (mailbox_id, plan_version, local_date) DO UPDATE SET
       emails = excluded.emails, first_at = excluded.first_at, first_jitter_seconds = excluded.first_jitter_seconds, last_at = excluded.last_at`,
    [
      workspaceId,
      version,
      plainArray(lanes.map((lane) => lane.mailboxId)),
      plainArray(lanes.map((lane) => lane.localDate)),
      plainArray(lanes.map((lane) => lane.emails)),
      plainArray(lanes.map((lane) => lane.firstAtMs)),
      plainArray(lanes.map((lane) => lane.firstJitterSeconds)),
      plainArray(lanes.map((lane) => lane.lastAtMs)),
    ],
  )
}

/**
 * Takes up what became free since the last batch. Answers whether anything did: who still knows the plan must then
 * read it again.
 */
export async function takeUpFreedPlaces(tx: Sql, workspaceId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `WITH freed AS (DELETE FROM freed_places WHERE workspace_id = $1 RETURNING mailbox_id, plan_version, local_date, emails)
     UPDATE planned_days d SET emails = greatest(0, d.emails - f.emails)
     FROM (SELECT mailbox_id, plan_version, local_date, sum(emails)::int AS emails FROM freed GROUP BY 1, 2, 3) f
     WHERE d.mailbox_id = f.mailbox_id AND d.plan_version = f.plan_version AND d.local_date = f.local_date`,
    [workspaceId],
  )
  return (rowCount ?? 0) > 0
}
