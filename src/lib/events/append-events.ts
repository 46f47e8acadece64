import { prepared, type Sql } from '#lib/platform/database.ts'
import type { PersonEventType } from '#lib/platform/generated/enums.ts'

/** The email that an event hangs on. A transactional one has neither campaign nor step. */
export type EventEmail = {
  emailId: string
  campaignId: string | null
  sequenceId: string | null
  stepNumber: number | null
}

type What = { type: Exclude<PersonEventType, 'CUSTOM'> } | { type: 'CUSTOM'; name: string }

export type NewEvent = What &
  Partial<EventEmail> & {
    workspaceId: string
    prospectId: string
    /** The database's time where none is given. */
    occurredAt?: Date | undefined
    /** Within the workspace; what has the key of an event that is there already is not written again. */
    dedupeKey: string
    data?: Readonly<Record<string, unknown>> | undefined
  }

export type AppendedEvent = { id: number; workspaceId: string; dedupeKey: string }

/**
 * Writes down what happened with people, in the transaction that makes it happen: one statement, however many. Answers
 * those that are new. Ids rise in the order given; keys are taken in an order of their own, so that two who tell the same
 * things the other way round wait and do not deadlock.
 */
export async function appendEvents(tx: Sql, events: readonly NewEvent[]): Promise<AppendedEvent[]> {
  if (events.length === 0) return []
  const { rows } = await tx.query<AppendedEvent>(
    prepared(`WITH given AS MATERIALIZED (
       SELECT nextval('person_events_id_seq') AS id, e.* FROM unnest($1::uuid[], $2::uuid[], $3::person_event_type[], $4::text[],
         $5::uuid[], $6::uuid[], $7::uuid[], $8::int[], $9::timestamptz[], $10::text[], $11::jsonb[])
         AS e(workspace_id, prospect_id, type, name, email_id, campaign_id, sequence_id, step_number, occurred_at, dedupe_key, data))
     INSERT INTO person_events (id, workspace_id, prospect_id, type, name, email_id, campaign_id, sequence_id, step_number,
       occurred_at, dedupe_key, data)
     SELECT id, workspace_id, prospect_id, type, name, email_id, campaign_id, sequence_id, step_number,
       coalesce(occurred_at, app_now()), dedupe_key, coalesce(data, '{}') FROM given ORDER BY workspace_id, dedupe_key
     ON CONFLICT (workspace_id, dedupe_key) DO NOTHING
     RETURNING id, workspace_id AS "workspaceId", dedupe_key AS "dedupeKey"`),
    [
      events.map(({ workspaceId }) => workspaceId),
      events.map(({ prospectId }) => prospectId),
      events.map(({ type }) => type),
      events.map((event) => (event.type === 'CUSTOM' ? event.name : null)),
      events.map(({ emailId }) => emailId ?? null),
      events.map(({ campaignId }) => campaignId ?? null),
      events.map(({ sequenceId }) => sequenceId ?? null),
      events.map(({ stepNumber }) => stepNumber ?? null),
      events.map(({ occurredAt }) => occurredAt ?? null),
      events.map(({ dedupeKey }) => dedupeKey),
      events.map(({ data }) => (data ? JSON.stringify(data) : null)),
    ],
  )
  return rows
}
