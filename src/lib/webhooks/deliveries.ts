import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { WebhookDeliveryState, WebhookStatus } from '#lib/platform/generated/enums.ts'
import { newId } from '#lib/platform/id.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { loadWebhook } from './endpoints.ts'
import { TEST_EVENT, TEST_SENTENCE } from './event-types.ts'
import { bodyOf } from './payload.ts'
import { webhookIdOf } from './signature.ts'
import type { DeliveryFilter } from './states.ts'

export type WebhookDelivery = {
  id: string
  endpointId: string
  /** As the receiver sees it, the same at every repetition. */
  messageId: string
  type: string
  subjectId: string
  happenedAt: Date
  state: WebhookDeliveryState
  isUnderWay: boolean
  attempts: number
  dueAt: Date | null
  lastAttemptAt: Date | null
  endedAt: Date | null
  answerStatus: number | null
  problem: string | null
  sentence: string
}

export type WebhookDeliveryDetail = WebhookDelivery & {
  payload: string
  answerBody: string | null
  durationMs: number | null
}

type Row = Omit<WebhookDeliveryDetail, 'payload' | 'sentence'> & {
  data: Record<string, unknown>
  endpointStatus: WebhookStatus
}

const COLUMNS = `d.id, d.endpoint_id AS "endpointId", d.message_id AS "messageId", d.type, d.subject_id AS "subjectId",
  d.happened_at AS "happenedAt", d.state, coalesce(d.lease_until > app_now(), false) AS "isUnderWay", d.attempts, d.due_at AS "dueAt",
  d.last_attempt_at AS "lastAttemptAt", d.ended_at AS "endedAt", d.answer_status AS "answerStatus", d.problem,
  d.answer_body AS "answerBody", d.duration_ms AS "durationMs", d.data, e.status AS "endpointStatus"`

/** The order of each filter, and how its pages go on behind a row. Waiting: what goes next comes first. */
const LISTS: Record<DeliveryFilter, { where: string; behind: string; order: string }> = {
  all: { where: 'true', behind: 'd.seq < $3', order: 'd.seq DESC' },
  failed: { where: `d.state = 'FAILED'`, behind: 'd.seq < $3', order: 'd.seq DESC' },
  waiting: {
    where: `d.state = 'WAITING'`,
    behind: '(d.due_at, d.seq) > ($4::timestamptz, $3)',
    order: 'd.due_at, d.seq',
  },
}

export type DeliveryPage = { deliveries: WebhookDelivery[]; nextCursor: string | null }

export async function listDeliveries(
  sql: Sql,
  workspaceId: string,
  endpointId: string,
  { show, cursor, limit }: { show: DeliveryFilter; cursor?: string | undefined; limit: number },
): Promise<DeliveryPage> {
  await loadWebhook(sql, workspaceId, endpointId)
  const behind = cursor === undefined ? [] : await placeOf(sql, endpointId, cursor, show)
  const { rows } = await sql.query<Row>(deliveriesQuery(show, behind.length > 0), [endpointId, limit + 1, ...behind])
  const page = rows.slice(0, limit)
  return {
    deliveries: page.map(asDelivery),
    nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  }
}

/** Of one endpoint, which the caller has found to be the workspace's. */
export function deliveriesQuery(show: DeliveryFilter, hasCursor: boolean): string {
  const { where, behind, order } = LISTS[show]
  return `SELECT ${COLUMNS} FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
    WHERE d.endpoint_id = $1 AND ${where} ${hasCursor ? `AND ${behind}` : ''} ORDER BY ${order} LIMIT $2`
}

/** Where a page ended. Behind a row that is gone, or waits no more, the list begins anew. */
async function placeOf(sql: Sql, endpointId: string, cursor: string, show: DeliveryFilter): Promise<unknown[]> {
  const { rows } = await sql.query<{ seq: string; dueAt: string | null }>(
    `SELECT seq::text, due_at::text AS "dueAt" FROM webhook_deliveries WHERE endpoint_id = $1 AND id = $2`,
    [endpointId, cursor],
  )
  const [row] = rows
  if (!row || (show === 'waiting' && row.dueAt === null)) return []
  return show === 'waiting' ? [row.seq, row.dueAt] : [row.seq]
}

export async function readDelivery(sql: Sql, workspaceId: string, id: string): Promise<WebhookDeliveryDetail> {
  const { rows } = await sql.query<Row>(
    `SELECT ${COLUMNS} FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
     WHERE d.workspace_id = $1 AND d.id = $2 AND e.removed_at IS NULL`,
    [workspaceId, id],
  )
  const [row] = rows
  if (!row) throw notFound()
  return { ...asDelivery(row), payload: bodyOf(row), answerBody: row.answerBody, durationMs: row.durationMs }
}

function asDelivery(row: Row): WebhookDelivery {
  const { data: _, endpointStatus: __, answerBody: ___, durationMs: ____, messageId, ...rest } = row
  return { ...rest, messageId: webhookIdOf(messageId), sentence: sentenceOf(row) }
}

function sentenceOf({ state, isUnderWay, attempts, problem, endpointStatus }: Row): string {
  if (state === 'DELIVERED') return attempts > 1 ? `Delivered at attempt ${attempts}.` : 'Delivered.'
  if (state === 'FAILED') return problem ?? 'It could not be delivered.'
  if (isUnderWay) return 'A worker delivers it at this moment.'
  if (endpointStatus === 'PAUSED') return 'It waits until the webhook is enabled again.'
  if (endpointStatus === 'DISABLED') return 'The webhook was disabled; it waits until a person enables it.'
  return attempts > 0 ? `${problem ?? 'It was not delivered.'} It is tried again.` : 'It goes with the next tick.'
}

/** One that ended goes again under its id, with all of its attempts; one that waits goes now. */
export async function deliverAgain(tx: Sql, workspaceId: string, id: string): Promise<void> {
  const { isUnderWay, endpointId } = await lockDelivery(tx, workspaceId, id)
  refuseOff(await loadWebhook(tx, workspaceId, endpointId))
  if (isUnderWay) throw underWay()
  await tx.query(`UPDATE webhook_deliveries SET ${ANEW} WHERE workspace_id = $1 AND id = $2`, [workspaceId, id])
}

/** All that failed, some thousands in one request. */
export async function deliverFailedAgain(
  tx: Sql,
  workspaceId: string,
  endpointId: string,
): Promise<{ again: number; remaining: boolean }> {
  refuseOff(await loadWebhook(tx, workspaceId, endpointId))
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 AND state = 'FAILED' ORDER BY seq LIMIT $2 FOR UPDATE SKIP LOCKED`,
    [endpointId, AGAIN_MAX],
  )
  await tx.query(`UPDATE webhook_deliveries SET ${ANEW} WHERE id = ANY($1::uuid[])`, [
    plainArray(rows.map(({ id }) => id)),
  ])
  return { again: rows.length, remaining: rows.length === AGAIN_MAX }
}

const AGAIN_MAX = 5_000

const ANEW = `state = 'WAITING', due_at = app_now(), ended_at = NULL,
  attempts = CASE WHEN state = 'WAITING' THEN attempts ELSE 0 END,
  first_attempt_at = CASE WHEN state = 'WAITING' THEN first_attempt_at END`

async function lockDelivery(
  tx: Sql,
  workspaceId: string,
  id: string,
): Promise<{ isUnderWay: boolean; endpointId: string }> {
  const { rows } = await tx.query<{ isUnderWay: boolean; endpointId: string }>(
    `SELECT coalesce(lease_until > app_now(), false) AS "isUnderWay", endpoint_id AS "endpointId" FROM webhook_deliveries
     WHERE workspace_id = $1 AND id = $2 FOR UPDATE`,
    [workspaceId, id],
  )
  if (!rows[0]) throw notFound()
  return rows[0]
}

/** An event for this one endpoint, whatever it has chosen and also while it is off. Answers its delivery. */
export async function makeTestEvent(tx: Sql, workspaceId: string, endpointId: string): Promise<string> {
  await loadWebhook(tx, workspaceId, endpointId)
  const id = newId()
  await tx.query(
    `INSERT INTO webhook_deliveries (id, endpoint_id, workspace_id, message_id, type, subject_id, data)
     VALUES ($1, $2, $3, $1, $4, $1, $5)`,
    [id, endpointId, workspaceId, TEST_EVENT, { webhookId: endpointId, sentence: TEST_SENTENCE }],
  )
  return id
}

function refuseOff({ status }: { status: WebhookStatus }): void {
  if (status === 'ENABLED') return
  throw new PublicError(
    409,
    'webhook-off',
    `The webhook is ${status === 'PAUSED' ? 'paused' : 'disabled'}, so nothing is sent there. Enable it first.`,
  )
}

const underWay = () =>
  new PublicError(409, 'under-way', 'A worker delivers it at this moment. Look again in a few seconds.')
