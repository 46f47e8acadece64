import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'

/** Why a line did not add or change anybody. */
export const ISSUE_KINDS = ['rejected', 'duplicate', 'suppressed', 'unsubscribed', 'merged'] as const

export type IssueKind = (typeof ISSUE_KINDS)[number]

export type ImportIssue = { line: number; kind: IssueKind; reason: string }

export type ImportReport = {
  id: string
  encoding: string
  delimiter: string
  /** Lines with something on them that are in so far; the counts add up to it. */
  lines: number
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
}

export async function loadReport(sql: Sql, workspaceId: string, id: string): Promise<ImportReport> {
  const { rows } = await sql.query<ImportReport>(
    `SELECT id, encoding, delimiter, committed_records AS lines, created, updated, revived, unchanged, duplicates,
       suppressed, unsubscribed, rejected, created_at AS "createdAt", finished_at AS "finishedAt"
     FROM import_jobs WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  )
  if (!rows[0]) throw notFound()
  return rows[0]
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
