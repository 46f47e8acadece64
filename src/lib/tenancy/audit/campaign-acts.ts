import type { Sql } from '#lib/platform/database.ts'

/** What a person did with a campaign. From where is not told: that is for the audit log, and for admins. */
export type CampaignAct = {
  id: number
  at: Date
  actorEmail: string
  action: string
  details: Record<string, unknown>
}

/** Newest first; from an index of what was done to campaigns, however long the log. */
export async function listActs(
  sql: Sql,
  { workspaceId, id }: { workspaceId: string; id: string },
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<{ acts: CampaignAct[]; nextBefore: number | null }> {
  const { rows } = await sql.query<CampaignAct>(
    `SELECT id::int8::float8 AS id, at, actor_email AS "actorEmail", action, details FROM audit_log
     WHERE workspace_id = $1 AND target_kind = 'campaign' AND target_id = $2::text AND ($3::int8 IS NULL OR id < $3)
     ORDER BY id DESC LIMIT $4`,
    [workspaceId, id, before ?? null, limit + 1],
  )
  const acts = rows.slice(0, limit)
  return { acts, nextBefore: rows.length > limit ? (acts.at(-1)?.id ?? null) : null }
}
