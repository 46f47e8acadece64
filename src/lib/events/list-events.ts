import type { Sql } from '#lib/platform/database.ts'
import type { PersonEventType } from '#lib/platform/generated/enums.ts'

export type PersonEvent = {
  id: string
  type: PersonEventType
  name: string | null
  emailId: string | null
  campaignId: string | null
  sequenceId: string | null
  stepNumber: number | null
  occurredAt: Date
  recordedAt: Date
  data: Record<string, unknown>
}

type EventsWanted = { cursor?: string | undefined; limit: number; types?: readonly PersonEventType[] }

export type EventPage = { events: PersonEvent[]; nextCursor: string | null }

/** Of prospects that the caller has found in the workspace, and who are one person; what was written last comes first. */
export async function listEvents(
  sql: Sql,
  workspaceId: string,
  prospectIds: readonly string[],
  { cursor, limit, types }: EventsWanted,
): Promise<EventPage> {
  const { rows } = await sql.query<PersonEvent>(
    `SELECT id::text, type, name, email_id AS "emailId", campaign_id AS "campaignId", sequence_id AS "sequenceId",
       step_number AS "stepNumber", occurred_at AS "occurredAt", recorded_at AS "recordedAt", data
     FROM person_events WHERE workspace_id = $1 AND prospect_id = ANY($2::uuid[]) AND ($3::bigint IS NULL OR id < $3)
       AND ($5::person_event_type[] IS NULL OR type = ANY($5))
     ORDER BY person_events.id DESC LIMIT $4`,
    [workspaceId, prospectIds, cursor ?? null, limit + 1, types ?? null],
  )
  const events = rows.slice(0, limit)
  return { events, nextCursor: rows.length > limit ? (events.at(-1)?.id ?? null) : null }
}

/** All that is kept of them, for their export. */
export async function exportEvents(
  sql: Sql,
  workspaceId: string,
  prospectIds: readonly string[],
): Promise<Record<string, unknown>[]> {
  const { rows } = await sql.query<Record<string, unknown>>(
    `SELECT type, name, email_id AS "emailId", occurred_at AS "occurredAt", recorded_at AS "recordedAt", data
     FROM person_events WHERE workspace_id = $1 AND prospect_id = ANY($2::uuid[]) ORDER BY id`,
    [workspaceId, prospectIds],
  )
  return rows
}
