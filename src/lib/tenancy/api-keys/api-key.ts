import { createHash, randomBytes } from 'node:crypto'
import { PublicError } from '#lib/platform/api-response.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import type { WorkspaceAccess } from '#lib/tenancy/access.ts'
import type { Person } from '#lib/tenancy/person.ts'
import type { ApiScope } from './scopes.ts'

/** By which scanners for leaked secrets know it. */
const PREFIX = 'sendonce_'
const HINT_LENGTH = PREFIX.length + 5

export type NewKey = { key: string; hint: string; hash: Buffer }

export function newKey(): NewKey {
  const key = `${PREFIX}${randomBytes(32).toString('base64url')}`
  return { key, hint: key.slice(0, HINT_LENGTH), hash: hashOf(key) }
}

export type KeyHolder = {
  id: string
  name: string
  hint: string
  scopes: ApiScope[]
  workspace: WorkspaceAccess['workspace']
  /** The person who made it answers for what it does. */
  maker: Person
}

/** The key that a program sends with its request; undefined where it sends none, as browsers do. */
export function keyIn(headers: Headers): string | undefined {
  return /^Bearer +(\S{1,500}) *$/i.exec(headers.get('authorization') ?? '')?.[1]
}

/** Whose key it is: asked anew at every request, so that a revocation counts at once. Notes the use of it, to the minute. */
export async function readKeyHolder(sql: Sql, key: string): Promise<KeyHolder> {
  const { rows } = await sql.query<Row>(
    prepared(`SELECT k.id, k.name, k.hint, k.scopes::text[] AS scopes, w.id AS "workspaceId", w.name AS "workspaceName",
       coalesce(CASE WHEN s.next_time_zone_at <= app_now() THEN s.next_time_zone END, s.time_zone, 'UTC') AS "timeZone",
       u.id AS "makerId", u.name AS "makerName", u.email AS "makerEmail",
       k.revoked_at IS NOT NULL AS "isRevoked", coalesce(k.expires_at <= app_now(), false) AS "isExpired",
       coalesce(k.last_used_at < app_now() - interval '1 minute', true) AS "isUseNew"
     FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id JOIN users u ON u.id = k.made_by_id
     LEFT JOIN sending_settings s ON s.workspace_id = w.id
     WHERE k.key_hash = $1`),
    [hashOf(key)],
  )
  const row = rows[0]
  if (!row) throw refused('unknown-key', 'This API key is not known here. Look for a typing error, or make a new key.')
  if (row.isRevoked) throw refused('revoked-key', 'This API key was revoked. Make a new one under Settings, API keys.')
  if (row.isExpired) throw refused('expired-key', 'This API key has expired. Make a new one under Settings, API keys.')
  if (row.isUseNew) await noteUse(sql, row.id)
  const { id, name, hint, scopes, workspaceId, workspaceName, timeZone, makerId, makerName, makerEmail } = row
  return {
    ...{ id, name, hint, scopes },
    workspace: { id: workspaceId, name: workspaceName, timeZone },
    maker: { id: makerId, name: makerName, email: makerEmail },
  }
}

type Row = {
  id: string
  name: string
  hint: string
  scopes: ApiScope[]
  workspaceId: string
  workspaceName: string
  timeZone: string
  makerId: string
  makerName: string
  makerEmail: string
  isRevoked: boolean
  isExpired: boolean
  isUseNew: boolean
}

/** A thousand requests at once write it once: those that come second find it written, or pass over the lock. */
async function noteUse(sql: Sql, id: string): Promise<void> {
  await sql.query(
    `UPDATE api_keys SET last_used_at = app_now() WHERE id IN (
       SELECT id FROM api_keys WHERE id = $1 AND coalesce(last_used_at < app_now() - interval '1 minute', true)
       FOR NO KEY UPDATE SKIP LOCKED)`,
    [id],
  )
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

const refused = (code: string, message: string) => new PublicError(401, code, message)
