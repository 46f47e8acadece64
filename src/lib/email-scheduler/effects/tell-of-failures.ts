import { appendEvents, type NewEvent } from '#lib/events/append-events.ts'
import type { Sql } from '#lib/platform/database.ts'

type FailedRow = {
  emailId: string
  workspaceId: string
  prospectId: string | null
  campaignId: string | null
  sequenceId: string | null
  stepNumber: number | null
  leaseToken: number
  code: string | null
}

/**
 * Emails that have just failed for good, as events of their people. One that a person retries and that fails again is
 * told again. What programs sent names nobody, so there is nobody whose event it would be.
 */
export async function tellOfFailures(tx: Sql, ids: readonly string[]): Promise<void> {
  const failed = await readFailed(tx, ids)
  await appendEvents(
    tx,
    failed.flatMap(({ leaseToken, code, prospectId, ...email }): NewEvent[] =>
      prospectId === null
        ? []
        : [
            {
              ...{ ...email, prospectId, type: 'FAILED', dedupeKey: `failed:${email.emailId}:${leaseToken}` },
              data: { code },
            },
          ],
    ),
  )
}

/** `people`: whose address a bounce was of, and through which email it came to light. */
export async function tellOfBounces(
  tx: Sql,
  people: readonly { prospectId: string; emailId: string }[],
): Promise<void> {
  const failed = new Map(
    (
      await readFailed(
        tx,
        people.map(({ emailId }) => emailId),
      )
    ).map((row) => [row.emailId, row]),
  )
  await appendEvents(
    tx,
    people.flatMap(({ prospectId, emailId }): NewEvent[] => {
      const row = failed.get(emailId)
      if (!row) return []
      const { workspaceId, campaignId, sequenceId, stepNumber, leaseToken } = row
      const email = { workspaceId, prospectId, emailId, campaignId, sequenceId, stepNumber }
      return [{ ...email, type: 'BOUNCED', dedupeKey: `bounced:${emailId}:${leaseToken}:${prospectId}` }]
    }),
  )
}

async function readFailed(tx: Sql, ids: readonly string[]): Promise<FailedRow[]> {
  if (ids.length === 0) return []
  const { rows } = await tx.query<FailedRow>(
    `SELECT id AS "emailId", workspace_id AS "workspaceId", prospect_id AS "prospectId", campaign_id AS "campaignId",
       sequence_id AS "sequenceId", step_number AS "stepNumber", lease_token AS "leaseToken", last_error_code AS code
     FROM scheduled_emails WHERE id = ANY($1::uuid[]) ORDER BY id`,
    [ids],
  )
  return rows
}
