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
  const parts = emails.flatMap(({ id, workspaceId, parts }) =>
    parts.map((part, position): Placed => ({ id, workspaceId, position, part })),
  )
  for (const some of inStatements(parts)) await insertParts(tx, some)
}

type Placed = { id: string; workspaceId: string; position: number; part: MessagePart }

const PARTS_AT_ONCE = 1_000
const BYTES_AT_ONCE = 1024 * 1024

/** A batch may bring ten thousand small files, and one email a large one. */
function inStatements(parts: readonly Placed[]): Placed[][] {
  const statements: Placed[][] = []
  let bytes = 0
  for (const one of parts) {
    const last = statements.at(-1)
    bytes += one.part.content.length
    if (last && last.length < PARTS_AT_ONCE && bytes <= BYTES_AT_ONCE) last.push(one)
    else {
      statements.push([one])
      bytes = one.part.content.length
    }
  }
  return statements
}

async function insertParts(tx: Sql, parts: readonly Placed[]): Promise<void> {
  const [only] = parts
  // In an array its bytes would be written as text, twice as long.
  if (parts.length === 1 && only) {
    await tx.query(
      `INSERT INTO email_parts (email_id, position, workspace_id, kind, file_name, type, content) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [...[only.id, only.position, only.workspaceId], ...columnsOf(only.part)],
    )
    return
  }
  const columns = parts.map(({ part }) => columnsOf(part))
  await tx.query(
    `INSERT INTO email_parts (email_id, position, workspace_id, kind, file_name, type, content)
     SELECT * FROM unnest($1::uuid[], $2::int[], $3::uuid[], $4::email_part_kind[], $5::text[], $6::text[], $7::bytea[])`,
    [
      parts.map(({ id }) => id),
      parts.map(({ position }) => position),
      parts.map(({ workspaceId }) => workspaceId),
      ...[0, 1, 2, 3].map((at) => columns.map((each) => each[at])),
    ],
  )
}

const columnsOf = (part: MessagePart) => [part.kind, part.fileName, typeOf(part), part.content]

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
  if (idempotencyKeys.length === 0) return new Map()
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
