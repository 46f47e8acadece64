import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { CsvFormat } from './import-file.ts'
import { notesOnFormat } from './import-notes.ts'

/** Why a line did not add or change anybody. */
export const ISSUE_KINDS = ['rejected', 'duplicate', 'suppressed', 'unsubscribed', 'merged'] as const

export type IssueKind = (typeof ISSUE_KINDS)[number]

export type ImportIssue = { line: number; kind: IssueKind; reason: string }

export type ImportReport = {
  id: string
  /** As the sender calls the file; empty where they did not say. */
  fileName: string | null
  /** Who began it. */
  createdById: string
  encoding: string
  delimiter: string
  /** Lines with something on them that are in so far; the counts add up to it. */
  lines: number
  /** How many it has; empty until they are counted, which is before the first is brought in. */
  totalLines: number | null
  created: number
  updated: number
  /** Archived or erased before; under the same id again. */
  revived: number
  /** Known and left as they are. */
  unchanged: number
  duplicates: number
  suppressed: number
  unsubscribed: number
  rejected: number
  createdAt: Date
  /** Empty while it runs, or when it was interrupted: sending the same file again goes on with it. */
  finishedAt: Date | null
  /** The same file was imported again after it: what it says may not be so any more. */
  isOld: boolean
  /** How many of the lines that added or changed nobody are kept with their reasons. */
  issuesKept: number
  /** What should be known of this report, in sentences. */
  notes: string[]
}

/** Of one import. A file of a million bad lines is mended by its first ones and by their number. */
export const ISSUES_KEPT_MAX = 10_000

type Row = Omit<ImportReport, 'notes'> & Pick<CsvFormat, 'encoding' | 'encodingBy' | 'startsWithPerson'>

const COLUMNS = `id, file_name AS "fileName", created_by_id AS "createdById", encoding, encoding_by AS "encodingBy", delimiter,
  starts_with_person AS "startsWithPerson", committed_records AS lines, total_records AS "totalLines", created, updated,
  revived, unchanged, duplicates, suppressed, unsubscribed, rejected, issues_kept AS "issuesKept",
  created_at AS "createdAt", finished_at AS "finishedAt",
  EXISTS (SELECT FROM import_jobs later WHERE later.workspace_id = import_jobs.workspace_id
    AND later.fingerprint = import_jobs.fingerprint AND later.id > import_jobs.id) AS "isOld"`

export async function loadReport(sql: Sql, workspaceId: string, id: string): Promise<ImportReport> {
  const { rows } = await sql.query<Row>(`SELECT ${COLUMNS} FROM import_jobs WHERE workspace_id = $1 AND id = $2`, [
    workspaceId,
    id,
  ])
  if (!rows[0]) throw notFound()
  return reportOf(rows[0])
}

/** The newest first. */
export async function listReports(sql: Sql, workspaceId: string, limit: number): Promise<ImportReport[]> {
  const { rows } = await sql.query<Row>(
    `SELECT ${COLUMNS} FROM import_jobs WHERE workspace_id = $1 ORDER BY id DESC LIMIT $2`,
    [workspaceId, limit],
  )
  return rows.map(reportOf)
}

function reportOf(row: Row): ImportReport {
  const { encodingBy, startsWithPerson, ...report } = row
  return { ...report, notes: notesOf(row) }
}

function notesOf(row: Row): string[] {
  const notes = notesOnFormat(row)
  if (row.isOld)
    notes.push('This report is old: the same file was imported again since. What it says may not be so any more.')
  if (row.issuesKept >= ISSUES_KEPT_MAX)
    notes.push(`Only the first ${ISSUES_KEPT_MAX} lines that added or changed nobody are listed; the counts hold all.`)
  return notes
}

/** In the order of the file; the cursor is the last line seen. For a job that loadReport has found in the workspace. */
export async function listIssues(
  sql: Sql,
  jobId: string,
  page: { afterLine?: number; kind?: IssueKind; limit: number },
): Promise<{ issues: ImportIssue[]; nextCursor: number | null }> {
  const { rows } = await sql.query<ImportIssue>(
    `SELECT line, kind, reason FROM import_issues
     WHERE job_id = $1 AND line > $2 AND ($3::text IS NULL OR kind = $3) ORDER BY line LIMIT $4`,
    [jobId, page.afterLine ?? 0, page.kind ?? null, page.limit + 1],
  )
  const issues = rows.slice(0, page.limit)
  return { issues, nextCursor: rows.length > page.limit ? (issues.at(-1)?.line ?? null) : null }
}
