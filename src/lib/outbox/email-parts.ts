import type { InvitationMethod, MessagePart } from '#lib/mail/message/parts.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { EmailPartKind } from '#lib/platform/generated/enums.ts'

type Stored = { id: string; workspaceId: string; fingerprint: Buffer; parts: readonly MessagePart[] }

/** With the emails themselves: a retry next week sends the same files. */
export async function storeParts(tx: Sql, emails: readonly Stored[]): Promise<void> {
  await tx.query(
    `INSERT INTO email_requests (email_id, workspace_id, fingerprint) SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bytea[])`,
    [
      emails.map(({ id }) => id),
      emails.map(({ workspaceId }) => workspaceId),
      emails.map(({ fingerprint }) => fingerprint),
    ],
  )
  for (const { id, workspaceId, parts } of emails)
    for (const [position, part] of parts.entries())
      await tx.query(
        `INSERT INTO email_parts (email_id, position, workspace_id, kind, file_name, type, content) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [id, position, workspaceId, part.kind, part.fileName, typeOf(part), part.content],
      )
}

const typeOf = (part: MessagePart) => (part.kind === 'CALENDAR' ? part.method : part.contentType)

type Row = { emailId: string; kind: EmailPartKind; fileName: string; type: string; content: Buffer }

/** Of those emails that have any, in their order. */
export async function readParts(sql: Sql, emailIds: readonly string[]): Promise<Map<string, MessagePart[]>> {
  const found = new Map<string, MessagePart[]>()
  if (emailIds.length === 0) return found
  const { rows } = await sql.query<Row>(
    `SELECT email_id AS "emailId", kind, file_name AS "fileName", type, content FROM email_parts
     WHERE email_id = ANY($1::uuid[]) ORDER BY email_id, position`,
    [emailIds],
  )
  for (const row of rows) found.set(row.emailId, [...(found.get(row.emailId) ?? []), partOf(row)])
  return found
}

function partOf({ kind, fileName, type, content }: Row): MessagePart {
  return kind === 'CALENDAR'
    ? { kind, fileName, method: type as InvitationMethod, content }
    : { kind, fileName, contentType: type, content }
}

/** What was asked for under keys that are there already. */
export async function readRequests(
  sql: Sql,
  workspaceId: string,
  idempotencyKeys: readonly string[],
): Promise<Map<string, { emailId: string; fingerprint: Buffer }>> {
  const { rows } = await sql.query<{ key: string; emailId: string; fingerprint: Buffer }>(
    `SELECT e.idempotency_key AS key, r.email_id AS "emailId", r.fingerprint
     FROM scheduled_emails e JOIN email_requests r ON r.email_id = e.id
     WHERE e.idempotency_key = ANY($2::text[]) AND e.workspace_id = $1`,
    [workspaceId, idempotencyKeys],
  )
  return new Map(rows.map(({ key, ...request }) => [key, request]))
}

/** With their recipients, who have been erased in the same transaction: what they were sent, and what it was made from. */
export async function eraseParts(tx: Sql, emailIds: readonly string[]): Promise<void> {
  await tx.query('DELETE FROM email_parts WHERE email_id = ANY($1::uuid[])', [emailIds])
  await tx.query(`UPDATE email_requests SET fingerprint = '' WHERE email_id = ANY($1::uuid[])`, [emailIds])
}
