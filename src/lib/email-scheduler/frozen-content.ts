import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import type { ClaimedEmail } from './claim.ts'
import type { EmailContent } from './content.ts'

type Row = {
  email_id: string
  from_name: string
  from_address: string
  to_name: string
  to_address: string
  subject: string
  body_text: string
  body_html: string
  message_id: string
  date: Date
  headers: Record<string, string>
}

type Frozen = Pick<ClaimedEmail, 'id' | 'contentToken'>

/** The copies that go out again, of those emails that have one. */
export async function readFrozenContents(sql: Sql, emails: readonly Frozen[]): Promise<Map<string, EmailContent>> {
  const frozen = emails.flatMap(({ id, contentToken }) => (contentToken === null ? [] : [{ id, contentToken }]))
  if (frozen.length === 0) return new Map()
  const { rows } = await sql.query<Row>(
    `SELECT c.email_id, c.from_name, c.from_address, c.to_name, c.to_address, c.subject, c.body_text, c.body_html, c.message_id,
       c.date, c.headers
     FROM unnest($1::uuid[], $2::int[]) AS f(id, token) JOIN email_contents c ON c.email_id = f.id AND c.content_token = f.token
     WHERE c.erased_at IS NULL`,
    [plainArray(frozen.map(({ id }) => id)), plainArray(frozen.map(({ contentToken }) => contentToken))],
  )
  return new Map(
    rows.map((row) => [
      row.email_id,
      {
        from: { name: row.from_name, address: row.from_address },
        to: { name: row.to_name, address: row.to_address },
        subject: row.subject,
        text: row.body_text,
        html: row.body_html,
        messageId: row.message_id,
        date: row.date,
        headers: row.headers,
      },
    ]),
  )
}
