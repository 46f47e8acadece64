import { hasBounced } from '#lib/audience/suppression/suppressed.ts'
import { mayHaveArrived } from '#lib/campaigns/may-have-arrived.ts'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import type { ClaimedEmail } from './claim.ts'

export type FrozenCopy = {
  content: EmailContent
  /** Who gets it as a blind copy. An address that has bounced since is left out: it keeps nobody else from the email. */
  blindCopies: string[]
  /** An earlier attempt's outcome is unknown: these very bytes go out again, or none. */
  mayHaveArrived: boolean
  /** It is addressed to where its prospect is reached now; also where it has no prospect. */
  isToCurrentAddress: boolean
}

type Row = {
  emailId: string
  fromName: string
  fromAddress: string
  toName: string
  toAddress: string
  subject: string
  text: string
  html: string
  messageId: string
  date: Date
  headers: Record<string, string>
  blindCopies: string[]
  mayHaveArrived: boolean
  isToCurrentAddress: boolean
}

type Frozen = Pick<ClaimedEmail, 'id' | 'contentToken'>

/** What was handed over before, of those emails that have a copy of it. */
export async function readFrozenCopies(sql: Sql, emails: readonly Frozen[]): Promise<Map<string, FrozenCopy>> {
  const frozen = emails.flatMap(({ id, contentToken }) => (contentToken === null ? [] : [{ id, contentToken }]))
  if (frozen.length === 0) return new Map()
  const { rows } = await sql.query<Row>(
    `SELECT c.email_id AS "emailId", c.from_name AS "fromName", c.from_address AS "fromAddress", c.to_name AS "toName",
       c.to_address AS "toAddress", c.subject, c.body_text AS text, c.body_html AS html, c.message_id AS "messageId", c.date,
       c.headers,
       ARRAY(SELECT r.address FROM email_recipients r
         WHERE r.email_id = e.id AND r.position > 0 AND r.address IS NOT NULL
           AND NOT ${hasBounced('e.workspace_id', 'r.address')} ORDER BY r.position) AS "blindCopies",
       ${mayHaveArrived('e')} AS "mayHaveArrived",
       e.prospect_id IS NULL OR p.email IS NOT DISTINCT FROM c.to_address AS "isToCurrentAddress"
     FROM unnest($1::uuid[], $2::int[]) AS f(id, token) JOIN email_contents c ON c.email_id = f.id AND c.content_token = f.token
     JOIN scheduled_emails e ON e.id = f.id LEFT JOIN prospects p ON p.id = e.prospect_id
     WHERE c.erased_at IS NULL`,
    [plainArray(frozen.map(({ id }) => id)), plainArray(frozen.map(({ contentToken }) => contentToken))],
  )
  return new Map(rows.map((row) => [row.emailId, copyOf(row)]))
}

function copyOf({
  fromName,
  fromAddress,
  toName,
  toAddress,
  subject,
  text,
  html,
  messageId,
  date,
  headers,
  emailId: _,
  ...row
}: Row): FrozenCopy {
  const content: EmailContent = {
    from: { name: fromName, address: fromAddress },
    to: { name: toName, address: toAddress },
    subject,
    text,
    html,
    messageId,
    date,
    headers,
  }
  return { content, ...row }
}
