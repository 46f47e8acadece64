import type { Sql } from '#lib/platform/database.ts'
import type { AuditAction } from './audit.ts'

export type AuditFilter = { actorId?: string; action?: AuditAction; from?: Date; to?: Date }

export type AuditRow = {
  id: number
  at: Date
  action: string
  actorId: string | null
  actorEmail: string
  targetKind: string
  targetId: string | null
  targetName: string
  details: Record<string, unknown>
  address: string | null
}

export type AuditPage = { entries: AuditRow[]; nextCursor: string | null }

/** Newest first. The cursor is the last id seen, so that entries written since then shift no page. */
export async function listAudit(
  sql: Sql,
  workspaceId: string,
  filter: AuditFilter,
  page: { cursor?: string; limit: number },
): Promise<AuditPage> {
  const { rows } = await sql.query<AuditRow>(
    `SELECT id, at, action, actor_id AS "actorId", actor_email AS "actorEmail", target_kind AS "targetKind",
            target_id AS "targetId", target_name AS "targetName", details, address
     FROM audit_log
     WHERE workspace_id = $1
       AND ($2::bigint IS NULL OR id < $2)
       AND ($3::uuid IS NULL OR actor_id = $3)
       AND ($4::text IS NULL OR action = $4)
       AND ($5::timestamptz IS NULL OR at >= $5)
       AND ($6::timestamptz IS NULL OR at < $6)
     ORDER BY id DESC
     LIMIT $7`,
    [
      workspaceId,
      page.cursor ?? null,
      filter.actorId ?? null,
      filter.action ?? null,
      filter.from ?? null,
      filter.to ?? null,
      page.limit + 1,
    ],
  )
  const entries = rows.slice(0, page.limit)
  const last = entries.at(-1)
  return { entries, nextCursor: rows.length > page.limit && last ? String(last.id) : null }
}
