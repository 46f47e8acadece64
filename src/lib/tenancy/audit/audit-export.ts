import { csvLine } from '#lib/platform/csv.ts'
import type { Sql } from '#lib/platform/database.ts'
import { type AuditFilter, type AuditRow, listAudit } from './audit-list.ts'

const BATCH = 1_000
const COLUMNS = ['At', 'Actor', 'Action', 'Target kind', 'Target', 'Details', 'Address']

/** The whole log as CSV, read batch by batch, so that its length does not matter to memory. */
export async function* exportAudit(sql: Sql, workspaceId: string, filter: AuditFilter): AsyncGenerator<string> {
  // Excel reads UTF-8 only when told by this mark.
  yield `\uFEFF${csvLine(COLUMNS)}`
  let cursor: string | undefined
  do {
    const page = await listAudit(sql, workspaceId, filter, { cursor, limit: BATCH })
    yield page.entries.map((entry) => csvLine(cellsOf(entry))).join('')
    cursor = page.nextCursor ?? undefined
  } while (cursor)
}

function cellsOf(entry: AuditRow): string[] {
  const details = Object.entries(entry.details).map(([name, value]) => `${name}: ${String(value)}`)
  return [
    entry.at.toISOString(),
    entry.actorEmail,
    entry.action,
    entry.targetKind,
    entry.targetName,
    details.join('; '),
    entry.address ?? '',
  ]
}
