import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { lockWorkspace } from '#lib/tenancy/workspaces/lock-workspace.ts'
import { newKey } from './api-key.ts'
import type { ApiScope } from './scopes.ts'

export type ApiKeyRow = {
  id: string
  name: string
  hint: string
  scopes: ApiScope[]
  makerName: string
  /** Its maker is no longer in the workspace, and may still know it. */
  hasMakerLeft: boolean
  createdAt: Date
  expiresAt: Date | null
  isExpired: boolean
  revokedAt: Date | null
  lastUsedAt: Date | null
}

/** Of a workspace, that work. More than anybody can tell apart. */
const KEYS_MAX = 100
/** Those that were revoked are shown for a while, so that their last use can be looked up. */
const REVOKED_MAX = 50

const KEYS = `SELECT k.id, k.name, k.hint, k.scopes::text[] AS scopes, u.name AS "makerName",
    NOT EXISTS (SELECT FROM members m WHERE m.workspace_id = k.workspace_id AND m.user_id = k.made_by_id) AS "hasMakerLeft",
    k.created_at AS "createdAt", k.expires_at AS "expiresAt", coalesce(k.expires_at <= app_now(), false) AS "isExpired",
    k.revoked_at AS "revokedAt", k.last_used_at AS "lastUsedAt"
  FROM api_keys k JOIN users u ON u.id = k.made_by_id WHERE k.workspace_id = $1`

/** The newest first, those that were revoked after all others. */
export async function listApiKeys(sql: Sql, workspaceId: string): Promise<ApiKeyRow[]> {
  const [{ rows }, { rows: revoked }] = await Promise.all([
    sql.query<ApiKeyRow>(`${KEYS} AND k.revoked_at IS NULL ORDER BY k.id DESC`, [workspaceId]),
    sql.query<ApiKeyRow>(`${KEYS} AND k.revoked_at IS NOT NULL ORDER BY k.revoked_at DESC, k.id DESC LIMIT $2`, [
      workspaceId,
      REVOKED_MAX,
    ]),
  ])
  return [...rows, ...revoked]
}

export type WantedKey = { name: string; scopes: readonly ApiScope[]; validDays: number | null }

/** The key itself is in this answer and nowhere else. */
export async function makeApiKey(
  tx: Sql,
  workspaceId: string,
  { name, scopes, validDays }: WantedKey,
  actor: Actor,
): Promise<{ key: string; apiKey: ApiKeyRow }> {
  await lockWorkspace(tx, workspaceId, actor, 'admin')
  const { rows: counted } = await tx.query<{ isFull: boolean }>(
    `SELECT count(*) >= $2 AS "isFull" FROM api_keys WHERE workspace_id = $1 AND revoked_at IS NULL`,
    [workspaceId, KEYS_MAX],
  )
  if (counted[0]?.isFull)
    throw new PublicError(409, 'too-many-keys', `There are ${KEYS_MAX} API keys. Revoke one that nobody uses first.`)
  const { key, hint, hash } = newKey()
  const id = newId()
  await tx.query(
    `INSERT INTO api_keys (id, workspace_id, name, hint, key_hash, scopes, made_by_id, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6::text[]::api_scope[], $7, app_now() + make_interval(days => $8))`,
    [id, workspaceId, name, hint, hash, [...new Set(scopes)], actor.id, validDays],
  )
  await recordAudit(tx, workspaceId, {
    action: 'api-key.made',
    actor,
    target: { kind: 'api-key', id, name },
    details: { scopes: scopes.join(', '), validDays },
  })
  return { key, apiKey: await loadApiKey(tx, workspaceId, id) }
}

/** It works no more from this commit on. One that was revoked before stays as it was. */
export async function revokeApiKey(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<void> {
  await lockWorkspace(tx, workspaceId, actor, 'admin')
  const { name, revokedAt } = await loadApiKey(tx, workspaceId, id)
  if (revokedAt) return
  await tx.query('UPDATE api_keys SET revoked_at = app_now() WHERE workspace_id = $1 AND id = $2', [workspaceId, id])
  await recordAudit(tx, workspaceId, {
    action: 'api-key.revoked',
    actor,
    target: { kind: 'api-key', id, name },
  })
}

async function loadApiKey(tx: Sql, workspaceId: string, id: string): Promise<ApiKeyRow> {
  const { rows } = await tx.query<ApiKeyRow>(`${KEYS} AND k.id = $2 FOR UPDATE OF k`, [workspaceId, id])
  const row = rows[0]
  if (!row) throw notFound()
  return row
}
