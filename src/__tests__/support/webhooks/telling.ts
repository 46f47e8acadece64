import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { type AllowedHosts, NO_HOSTS_ALLOWED, readAllowedHosts } from '#lib/mail/smtp/host-safety.ts'
import { resolverFor } from '#lib/mail/smtp/resolve-name.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { type Keyring, type KeyringReading, readKeyring } from '#lib/platform/keyring.ts'
import { Courier } from '#lib/webhooks/courier.ts'
import { EVENT_NAMES } from '#lib/webhooks/event-types.ts'
import { makeSecret } from '#lib/webhooks/secrets.ts'
import type { Disabled } from '#lib/webhooks/settle.ts'
import { silent } from '#tests/support/silent.ts'
import type { Receiver } from './receiver.ts'

export function keyringOf(text = `test:${randomBytes(32).toString('base64')}`): Keyring {
  const reading: KeyringReading = readKeyring(text)
  if (!reading.ok) throw new Error(reading.problem)
  return reading.keyring
}

/** A courier in this process, which may reach this machine, and keeps whom it would have told. */
export function testCourier(
  pool: pg.Pool,
  keyring: Keyring,
  allowed: AllowedHosts | string = '127.0.0.1, localhost',
): { courier: Courier; told: Disabled[] } {
  const told: Disabled[] = []
  const hosts = typeof allowed === 'string' ? readAllowedHosts(allowed) : allowed
  const reach = { allowed: hosts, resolve: resolverFor(hosts) }
  const tellOwners = async (_: Sql, disabled: Disabled) => {
    told.push(disabled)
  }
  return { courier: new Courier({ pool, log: silent, keyring, reach, tellOwners }), told }
}

export const NOWHERE_ALLOWED = NO_HOSTS_ALLOWED

export type TestWebhook = { id: string; workspaceId: string; url: string; secret: string }

/** An endpoint at a receiver, which knows its secret by its path. */
export async function makeWebhook(
  pool: pg.Pool,
  keyring: Keyring,
  workspaceId: string,
  at: { receiver?: Receiver; url?: string; events?: readonly string[]; scheme?: 'http' | 'https'; host?: string } = {},
): Promise<TestWebhook> {
  const { receiver, events = EVENT_NAMES, scheme = 'http', host = '127.0.0.1' } = at
  const id = newId()
  const path = `/${id}`
  const url = at.url ?? `${scheme}://${host}:${receiver?.port ?? 9}${path}`
  const secret = await inTransaction(pool, async (tx) => {
    await tx.query('INSERT INTO webhook_endpoints (id, workspace_id, url, events) VALUES ($1, $2, $3, $4)', [
      ...[id, workspaceId, url],
      events,
    ])
    return makeSecret(tx, keyring, { workspaceId, id })
  })
  receiver?.secrets.set(path, secret)
  return { id, workspaceId, url, secret }
}

/** As the triggers write them: an event for an endpoint, about one subject or each about its own. */
export async function makeEvents(
  sql: Sql,
  { id, workspaceId }: Pick<TestWebhook, 'id' | 'workspaceId'>,
  count: number,
  subjectId?: string,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `INSERT INTO webhook_deliveries (endpoint_id, workspace_id, message_id, type, subject_id, data)
     SELECT $1, $2, gen_random_uuid(), 'prospect.unsubscribed', subject, jsonb_build_object('prospectId', subject, 'number', number)
     FROM (SELECT coalesce($4::uuid, gen_random_uuid()) AS subject, number FROM generate_series(1, $3) AS number) made ORDER BY number
     RETURNING id`,
    [id, workspaceId, count, subjectId ?? null],
  )
  return rows.map((row) => row.id)
}

export type Standing = {
  state: string
  attempts: number
  problem: string | null
  answerStatus: number | null
  dueIn: number | null
}

export async function standingsOf(pool: pg.Pool, endpointId: string): Promise<Standing[]> {
  const { rows } = await pool.query<Standing>(
    `SELECT state, attempts, problem, answer_status AS "answerStatus", round(extract(epoch FROM due_at - last_attempt_at))::int AS "dueIn"
     FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY seq`,
    [endpointId],
  )
  return rows
}
