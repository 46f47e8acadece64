import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { JOURNEY_COLUMNS, type Journey } from './journey.ts'

/** At emails that are not planned yet, on the mailbox that the first of theirs left from. */
export type ToPlan = Journey & { mailboxId: string }

/** The next of them; locked, their people before and their enrolments with them. */
export async function takeToPlan(
  tx: Sql,
  { id, batchSize }: { id: string; batchSize: number },
  { mailboxIds, afterId }: { mailboxIds: readonly string[]; afterId: string | null },
): Promise<ToPlan[]> {
  const { rows: next } = await tx.query<{ id: string; prospectId: string }>(
    `SELECT j.enrolment_id AS id, j.prospect_id AS "prospectId" FROM journeys j JOIN campaign_prospects cp ON cp.id = j.enrolment_id
     WHERE j.campaign_id = $1 AND j.state = 'PLAN' AND cp.mailbox_id = ANY($2::uuid[]) AND ($3::uuid IS NULL OR j.enrolment_id > $3)
     ORDER BY j.enrolment_id LIMIT $4`,
    [id, mailboxIds, afterId, batchSize],
  )
  const ids = plainArray(next.map((row) => row.id))
  await tx.query('SELECT FROM prospects WHERE id = ANY($1::uuid[]) ORDER BY id FOR SHARE', [
    plainArray(next.map(({ prospectId }) => prospectId)),
  ])
  await tx.query('SELECT FROM journeys WHERE enrolment_id = ANY($1::uuid[]) ORDER BY enrolment_id FOR NO KEY UPDATE', [
    ids,
  ])
  await tx.query('SELECT FROM campaign_prospects WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE', [ids])
  const { rows } = await tx.query<ToPlan>(
    `SELECT ${JOURNEY_COLUMNS}, cp.mailbox_id AS "mailboxId" FROM journeys j JOIN prospects p ON p.id = j.prospect_id
     JOIN campaign_prospects cp ON cp.id = j.enrolment_id
     WHERE j.enrolment_id = ANY($1::uuid[]) AND j.state = 'PLAN' ORDER BY j.enrolment_id`,
    [ids],
  )
  return rows
}

export type PlannedRun = { enrolmentId: string; nodeId: string; lastStep: number; emails: number }

/** In the transaction that inserts their emails. */
export async function markRunsPlanned(tx: Sql, runs: readonly PlannedRun[]): Promise<void> {
  if (runs.length === 0) return
  const values = [
    plainArray(runs.map(({ enrolmentId }) => enrolmentId)),
    runs.map(({ nodeId }) => nodeId),
    plainArray(runs.map(({ lastStep }) => lastStep)),
  ]
  await tx.query(
    `UPDATE journeys j SET state = 'EMAIL', node_id = r.node_id, last_step = r.last_step
     FROM unnest($1::uuid[], $2::text[], $3::int[]) AS r(id, node_id, last_step) WHERE j.enrolment_id = r.id AND j.state = 'PLAN'`,
    values,
  )
  await tx.query(
    `UPDATE campaign_prospects cp SET planned_steps = cp.planned_steps + r.emails, state = 'ACTIVE'
     FROM unnest($1::uuid[], $2::int[]) AS r(id, emails) WHERE cp.id = r.id`,
    [values[0], plainArray(runs.map(({ emails }) => emails))],
  )
}
