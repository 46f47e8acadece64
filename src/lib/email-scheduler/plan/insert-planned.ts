import { generateIdempotencyKey } from '#lib/email-scheduler/idempotency.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import type { LimitedBy } from './plan-capacity.ts'

export type CreateScheduledEmailInput = {
  enrolmentId: string
  prospectId: string
  stepNumber: number
  key: string
  mailboxId: string
  scheduledForMs: number
  localDate: string
  jitterSeconds: number
  limitedBy: LimitedBy
  limitedOn: string
  /** The earliest that it could have gone, had it been planned as soon as it could be. */
  couldGoMs?: number
}

const DAY_MS = 24 * 60 * 60 * 1000

/** What at least lies before a step from where these steps count from: a day of a plan may be little more than a night. */
export function leastMsBetween(
  steps: readonly { stepNumber: number; delayDays: number }[],
  stepNumber: number,
): number {
  return (
    steps.reduce((sum, step) => sum + (step.stepNumber <= stepNumber ? Math.max(0, step.delayDays - 1) : 0), 0) * DAY_MS
  )
}

type Belongs = {
  workspaceId: string
  campaignId: string
  sequenceId: string
  firstStep: number
  /** The last step of a run in a sequence that branches: its sending moves the person on. */
  movesOn?: number | null
  version: number
  now: Date
}

/**
 * Puts planned emails into the queue, set-wise; answers the keys that were new. A key that is there already is left
 * as it is: the conflict speaks, nobody looks first. The first step may be claimed at its time, the others when the
 * step before them is sent. While sending is held after a restore, those that another server may have planned and sent by
 * then are in doubt like those that waited already (send/hold.ts).
 */
export async function insertPlanned(
  tx: Sql,
  { workspaceId, campaignId, sequenceId, firstStep, movesOn = null, version, now }: Belongs,
  emails: readonly CreateScheduledEmailInput[],
): Promise<Set<string>> {
  const { rows } = await tx.query<{ key: string }>(
    `WITH planned AS (INSERT INTO scheduled_emails (id, workspace_id, campaign_id, sequence_id, plan_version, updated_at, campaign_prospect_id,
       prospect_id, step_number, idempotency_key, mailbox_id, scheduled_for, local_date, jitter_seconds, ready_at,
       limited_by, limited_on, moves_on)
     SELECT e.id, $1, $2, $3, $4, $5, e.enrolment_id, e.prospect_id, e.step, e.key, e.mailbox_id, to_timestamp(e.at_ms / 1000),
       e.local_date, e.jitter, CASE WHEN e.step = $15 THEN to_timestamp(e.at_ms / 1000) END, e.limited_by, e.limited_on,
       e.step IS NOT DISTINCT FROM $18::int
     FROM unnest($6::uuid[], $7::uuid[], $8::uuid[], $9::int[], $10::text[], $11::uuid[], $12::float8[], $13::date[], $14::int[],
         $16::text[], $17::date[])
       AS e(id, enrolment_id, prospect_id, step, key, mailbox_id, at_ms, local_date, jitter, limited_by, limited_on)
     ON CONFLICT (idempotency_key) DO NOTHING
     RETURNING id, idempotency_key AS key), in_doubt AS (
       INSERT INTO emails_in_doubt (sighting_id, email_id, doubt, at)
       SELECT s.id, planned.id, 'IN_BETWEEN', greatest(to_timestamp(c.at_ms / 1000), s.last_sign_at)
       FROM server_sightings s, planned JOIN unnest($10::text[], $19::float8[]) AS c(key, at_ms) ON c.key = planned.key
       WHERE s.lifted_at IS NULL AND to_timestamp(c.at_ms / 1000) <= s.noticed_at)
     SELECT key FROM planned`,
    [
      workspaceId,
      campaignId,
      sequenceId,
      version,
      now,
      plainArray(emails.map(newId)),
      plainArray(emails.map((email) => email.enrolmentId)),
      plainArray(emails.map((email) => email.prospectId)),
      plainArray(emails.map((email) => email.stepNumber)),
      plainArray(emails.map((email) => email.key)),
      plainArray(emails.map((email) => email.mailboxId)),
      plainArray(emails.map((email) => email.scheduledForMs)),
      plainArray(emails.map((email) => email.localDate)),
      plainArray(emails.map((email) => email.jitterSeconds)),
      firstStep,
      plainArray(emails.map((email) => email.limitedBy)),
      plainArray(emails.map((email) => email.limitedOn)),
      movesOn,
      plainArray(emails.map(({ couldGoMs }) => couldGoMs ?? 'NULL')),
    ],
  )
  return new Set(rows.map(({ key }) => key))
}

/** Which of these prospects have a place in the sequence already, whatever campaign gave it to them. */
export async function prospectsCovered(
  tx: Sql,
  { sequenceId, firstStep }: { sequenceId: string; firstStep: number },
  prospectIds: readonly string[],
): Promise<Set<string>> {
  const keys = prospectIds.map((prospectId) => generateIdempotencyKey(prospectId, sequenceId, firstStep))
  const { rows } = await tx.query<{ prospect_id: string }>(
    'SELECT prospect_id FROM scheduled_emails WHERE idempotency_key = ANY($1::text[])',
    [plainArray(keys)],
  )
  return new Set(rows.map((row) => row.prospect_id))
}
