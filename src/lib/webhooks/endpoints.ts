import type pg from 'pg'
import { notFound, PublicError } from '#lib/platform/api-response.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import type { WebhookStatus } from '#lib/platform/generated/enums.ts'
import { newId } from '#lib/platform/id.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { type Expected, refuseStale } from '#lib/platform/rows/row-version.ts'
import { type AuditAction, recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { lockWorkspace } from '#lib/tenancy/workspaces/lock-workspace.ts'
import type { EventName } from './event-types.ts'
import { ENDPOINTS_MAX, REMOVED_KEPT_HOURS, ROTATION_HOURS } from './limits.ts'
import { makeSecret, replaceSecret } from './secrets.ts'
import { findTarget, nameOfTarget, type Reach } from './target.ts'

export type WebhookEndpoint = {
  id: string
  url: string
  description: string
  events: EventName[]
  status: WebhookStatus
  disabledReason: string | null
  /** There while what is sent is signed with the secret before as well. */
  previousSecretUntil: Date | null
  heldUntil: Date | null
  lastAcceptedAt: Date | null
  failuresInRow: number
  waiting: number
  failed: number
  createdAt: Date
  version: number
}

/** Counted so far and no further: a number that is larger is shown as more than that. */
export const COUNTED_MAX = 1_000

const COLUMNS = `e.id, e.url, e.description, e.events, e.status, e.disabled_reason AS "disabledReason",
  CASE WHEN e.previous_secret_until > app_now() THEN e.previous_secret_until END AS "previousSecretUntil",
  CASE WHEN e.held_until > app_now() THEN e.held_until END AS "heldUntil", e.last_accepted_at AS "lastAcceptedAt",
  e.failures_in_row AS "failuresInRow", e.created_at AS "createdAt", e.version,
  (SELECT count(*)::int FROM (SELECT FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = 'WAITING' LIMIT ${COUNTED_MAX + 1}) w) AS waiting,
  (SELECT count(*)::int FROM (SELECT FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = 'FAILED' LIMIT ${COUNTED_MAX + 1}) f) AS failed`

export async function listWebhooks(sql: Sql, workspaceId: string): Promise<WebhookEndpoint[]> {
  const { rows } = await sql.query<WebhookEndpoint>(
    `SELECT ${COLUMNS} FROM webhook_endpoints e WHERE e.workspace_id = $1 AND e.removed_at IS NULL ORDER BY e.id`,
    [workspaceId],
  )
  return rows
}

export async function loadWebhook(sql: Sql, workspaceId: string, id: string): Promise<WebhookEndpoint> {
  const { rows } = await sql.query<WebhookEndpoint>(
    `SELECT ${COLUMNS} FROM webhook_endpoints e WHERE e.workspace_id = $1 AND e.id = $2 AND e.removed_at IS NULL`,
    [workspaceId, id],
  )
  if (!rows[0]) throw notFound()
  return rows[0]
}

/** Where a person of a workspace adds and changes them. */
export type WebhookContext = { pool: pg.Pool; keyring: Keyring; reach: Reach; workspaceId: string; actor: Actor }

export type WantedWebhook = { url: string; description: string; events: readonly EventName[] }

type Told = { secret: string; webhook: WebhookEndpoint }

/** The secret is in this answer and nowhere else. */
export async function addWebhook(
  { pool, keyring, reach, workspaceId, actor }: WebhookContext,
  { url, description, events }: WantedWebhook,
  keep: (tx: Sql, told: Told) => Promise<void>,
): Promise<Told> {
  await refuseTarget(url, reach)
  return inTransaction(pool, async (tx) => {
    await lockWorkspace(tx, workspaceId, actor, 'admin')
    await refuseTooMany(tx, workspaceId)
    const id = newId()
    await tx.query(
      'INSERT INTO webhook_endpoints (id, workspace_id, url, description, events) VALUES ($1, $2, $3, $4, $5)',
      [id, workspaceId, url, description, [...new Set(events)]],
    )
    const told = {
      secret: await makeSecret(tx, keyring, { workspaceId, id }),
      webhook: await loadWebhook(tx, workspaceId, id),
    }
    await audit(tx, workspaceId, 'webhook.added', actor, told.webhook)
    await keep(tx, told)
    return told
  })
}

export type WebhookChange = Partial<WantedWebhook> & { status?: 'ENABLED' | 'PAUSED' | undefined }

/**
 * While one is paused, what happens is collected and goes out when it is enabled again. One that was disabled begins with
 * what waited then.
 */
export async function changeWebhook(
  { pool, reach, workspaceId, actor }: WebhookContext,
  id: string,
  { url, description, events, status }: WebhookChange,
  expected: Expected,
): Promise<WebhookEndpoint> {
  const seen = await loadWebhook(pool, workspaceId, id)
  if (url !== undefined && url !== seen.url) await refuseTarget(url, reach)
  return inTransaction(pool, async (tx) => {
    const before = await lockWebhook(tx, workspaceId, id, actor)
    refuseStale(expected, before.version)
    const after = {
      ...{ url: url ?? before.url, description: description ?? before.description },
      ...{ events: events === undefined ? before.events : [...new Set(events)], status: status ?? before.status },
    }
    const isMoved = after.status !== before.status
    const isEdited =
      after.url !== before.url ||
      after.description !== before.description ||
      [...after.events].sort().join() !== [...before.events].sort().join()
    if (!isMoved && !isEdited) return before
    await tx.query(
      `UPDATE webhook_endpoints SET url = $3, description = $4, events = $5, status = $6::webhook_status, updated_at = app_now(),
         disabled_reason = CASE WHEN $6 = 'DISABLED' THEN disabled_reason END,
         failures_in_row = CASE WHEN $7 THEN 0 ELSE failures_in_row END, held_until = CASE WHEN $7 THEN NULL ELSE held_until END
       WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, id, after.url, after.description, after.events, after.status, isMoved || after.url !== before.url],
    )
    // What waited for a receiver that was away need not wait for the time that was set then.
    if (after.status === 'ENABLED' && before.status !== 'ENABLED') await hurryWaiting(tx, id)
    const changed = await loadWebhook(tx, workspaceId, id)
    if (isEdited) await audit(tx, workspaceId, 'webhook.changed', actor, changed)
    if (isMoved)
      await audit(tx, workspaceId, after.status === 'PAUSED' ? 'webhook.paused' : 'webhook.enabled', actor, changed)
    return changed
  })
}

const HURRIED_MAX = 10_000

/** The others go at the times that they have. */
async function hurryWaiting(tx: Sql, endpointId: string): Promise<void> {
  await tx.query(
    `UPDATE webhook_deliveries SET due_at = app_now() WHERE id IN (
       SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 AND state = 'WAITING' AND due_at > app_now() AND lease_until IS NULL
       ORDER BY due_at, seq LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    [endpointId, HURRIED_MAX],
  )
}

/** The one before signs beside it for a day, so that a receiver can change over without losing anything. */
export async function rotateSecret(
  { pool, keyring, workspaceId, actor }: WebhookContext,
  id: string,
  keep: (tx: Sql, told: Told) => Promise<void>,
): Promise<Told> {
  return inTransaction(pool, async (tx) => {
    await lockWebhook(tx, workspaceId, id, actor)
    const secret = await replaceSecret(tx, keyring, { workspaceId, id })
    await tx.query(
      `UPDATE webhook_endpoints SET previous_secret_until = app_now() + make_interval(hours => $3), updated_at = app_now()
       WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, id, ROTATION_HOURS],
    )
    const told = { secret, webhook: await loadWebhook(tx, workspaceId, id) }
    await audit(tx, workspaceId, 'webhook.secret-rotated', actor, told.webhook)
    await keep(tx, told)
    return told
  })
}

/** Nothing more is sent there from this commit on. It is kept for a day, and can be brought back as it was. */
export async function removeWebhook({ pool, workspaceId, actor }: WebhookContext, id: string): Promise<void> {
  await inTransaction(pool, async (tx) => {
    const endpoint = await lockWebhook(tx, workspaceId, id, actor)
    await tx.query(
      'UPDATE webhook_endpoints SET removed_at = app_now(), updated_at = app_now() WHERE workspace_id = $1 AND id = $2',
      [workspaceId, id],
    )
    await audit(tx, workspaceId, 'webhook.removed', actor, endpoint)
  })
}

export async function restoreWebhook(
  { pool, workspaceId, actor }: WebhookContext,
  id: string,
): Promise<WebhookEndpoint> {
  return inTransaction(pool, async (tx) => {
    await lockWorkspace(tx, workspaceId, actor, 'admin')
    const { rows } = await tx.query<{ isRemoved: boolean }>(
      `SELECT removed_at IS NOT NULL AS "isRemoved" FROM webhook_endpoints WHERE workspace_id = $1 AND id = $2
         AND (removed_at IS NULL OR removed_at > app_now() - make_interval(hours => $3)) FOR NO KEY UPDATE`,
      [workspaceId, id, REMOVED_KEPT_HOURS],
    )
    if (!rows[0]) throw notFound()
    if (rows[0].isRemoved) {
      await refuseTooMany(tx, workspaceId)
      await tx.query(
        'UPDATE webhook_endpoints SET removed_at = NULL, updated_at = app_now() WHERE workspace_id = $1 AND id = $2',
        [workspaceId, id],
      )
    }
    const endpoint = await loadWebhook(tx, workspaceId, id)
    if (rows[0].isRemoved) await audit(tx, workspaceId, 'webhook.restored', actor, endpoint)
    return endpoint
  })
}

async function lockWebhook(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<WebhookEndpoint> {
  await lockWorkspace(tx, workspaceId, actor, 'admin')
  await tx.query('SELECT FROM webhook_endpoints WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE', [
    workspaceId,
    id,
  ])
  return loadWebhook(tx, workspaceId, id)
}

async function refuseTooMany(tx: Sql, workspaceId: string): Promise<void> {
  const { rows } = await tx.query<{ isFull: boolean }>(
    'SELECT count(*) >= $2 AS "isFull" FROM webhook_endpoints WHERE workspace_id = $1 AND removed_at IS NULL',
    [workspaceId, ENDPOINTS_MAX],
  )
  if (rows[0]?.isFull)
    throw new PublicError(
      409,
      'too-many-webhooks',
      `There are ${ENDPOINTS_MAX} webhooks. Remove one that nobody listens to first.`,
    )
}

const LOOK_UP_MS_MAX = 5_000

/** What can be known beforehand is said beforehand. A name server that does not answer is no reason to refuse. */
async function refuseTarget(url: string, reach: Reach): Promise<void> {
  const target = await findTarget(url, reach, LOOK_UP_MS_MAX)
  if (target.ok || !target.isForbidden) return
  throw new PublicError(400, 'invalid-input', target.sentence, { fields: [{ path: 'url', message: target.sentence }] })
}

async function audit(
  tx: Sql,
  workspaceId: string,
  action: Extract<AuditAction, `webhook.${string}`>,
  actor: Actor,
  { id, url }: WebhookEndpoint,
): Promise<void> {
  await recordAudit(tx, workspaceId, { action, actor, target: { kind: 'webhook', id, name: nameOfTarget(url) } })
}
