import { csvLine } from '#lib/platform/csv.ts'
import type { Sql } from '#lib/platform/database.ts'
import { type ListedEmail, listOutbox } from './list-outbox.ts'
import type { OutboxFilter } from './outbox-source.ts'

const BATCH = 1_000
const COLUMNS = [
  ...['To', 'Subject', 'From', 'State', 'Why', 'Campaign', 'Step', 'Attempts'],
  ...['Planned for', 'Next attempt', 'Sent', 'Error code', 'Key'],
]

/** What a filter finds as CSV, newest first; read batch by batch, so that its length does not matter to memory. */
export async function* exportOutbox(sql: Sql, workspaceId: string, filter: OutboxFilter): AsyncGenerator<string> {
  // Excel reads UTF-8 only when told by this mark.
  yield `\uFEFF${csvLine(COLUMNS)}`
  let cursor: string | undefined
  do {
    const page = await listOutbox(sql, workspaceId, filter, { cursor, limit: BATCH })
    yield page.emails.map((email) => csvLine(cellsOfEmail(email))).join('')
    cursor = page.nextCursor ?? undefined
  } while (cursor)
}

function cellsOfEmail(email: ListedEmail): string[] {
  const { recipient, subject, mailbox, statusName, why, campaign, stepNumber, attempts } = email
  return [
    ...[recipient ?? '', subject, mailbox.address, statusName, why.sentence, campaign?.name ?? ''],
    ...[stepNumber === null ? '' : String(stepNumber), String(attempts), email.scheduledFor.toISOString()],
    ...[email.nextRetryAt?.toISOString() ?? '', email.sentAt?.toISOString() ?? ''],
    ...[email.lastErrorCode ?? '', email.idempotencyKey],
  ]
}
