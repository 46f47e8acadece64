import { csvLine } from '#lib/platform/csv.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { ImportFile } from './import-file.ts'
import { OWN_COLUMN } from './import-mapping.ts'
import { listIssues } from './import-report.ts'

const ISSUES_AT_ONCE = 10_000

/**
 * The lines of a file that an import has rejected, as CSV with the number and the reason of each, to be mended and
 * imported again. The report holds nothing of what a line said, so the file is read once more.
 */
export async function* rejectedLines(sql: Sql, jobId: string, file: ImportFile): AsyncGenerator<string> {
  const { issues } = await listIssues(sql, jobId, { kind: 'rejected', limit: ISSUES_AT_ONCE })
  const reasons = new Map(issues.map(({ line, reason }) => [line, reason]))
  let isFirst = !file.format.startsWithPerson
  yield '\uFEFF'
  for await (const record of file.records()) {
    const cells = 'cells' in record ? record.cells : []
    const reason = reasons.get(record.line)
    if (isFirst) yield csvLine([`${OWN_COLUMN}line`, `${OWN_COLUMN}reason`, ...cells])
    else if (reason) yield csvLine([String(record.line), reason, ...cells])
    isFirst = false
  }
}
