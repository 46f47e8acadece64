import { type BulkVerb, undoOf, VERBS } from '#lib/email-scheduler/verbs.ts'
import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { BULK_COLUMNS, type BulkRow } from './bulk-work.ts'
import { REFUSALS, type RefusalByState } from './person-verb.ts'

export type BulkView = {
  id: string
  action: BulkVerb
  label: string
  byEmail: string
  /** How many it is for; null where they are too many to count. */
  total: number | null
  lookedAt: number
  done: number
  state: 'GOING_ON' | 'FINISHED' | 'STOPPED' | 'FAILED'
  failure: string | null
  createdAt: Date
  finishedAt: Date | null
  /** Whether it can be taken back; once that was asked for, the bulk that does it. */
  undo: { isPossible: boolean; bulkId: string | null }
}

export type BulkReport = BulkView & {
  /** Who was left out and why: how many for each reason, and some of them. */
  refused: { reason: RefusalByState; sentence: string; count: number; ids: string[] }[]
}

const IDS_SHOWN = 5
const UNDO = '(SELECT u.id FROM email_bulks u WHERE u.undoes_id = b.id) AS "undoneById"'

type Row = BulkRow & { undoneById: string | null }

/** The latest, those that go on included: for everybody of the workspace. */
export async function listBulks(sql: Sql, workspaceId: string, limit: number): Promise<BulkView[]> {
  const { rows } = await sql.query<Row>(
    `SELECT ${BULK_COLUMNS}, ${UNDO} FROM email_bulks b WHERE b.workspace_id = $1 ORDER BY b.id DESC LIMIT $2`,
    [workspaceId, limit],
  )
  return rows.map(viewOf)
}

export async function readBulk(sql: Sql, workspaceId: string, id: string): Promise<BulkReport> {
  const { rows } = await sql.query<Row>(
    `SELECT ${BULK_COLUMNS}, ${UNDO} FROM email_bulks b WHERE b.workspace_id = $1 AND b.id = $2`,
    [workspaceId, id],
  )
  const [bulk] = rows
  if (!bulk) throw notFound()
  if (bulk.refused !== null) {
    const kept = Object.entries(bulk.refused) as [RefusalByState, number][]
    return { ...viewOf(bulk), refused: kept.map(([reason, count]) => refusedOf({ reason, count, ids: [] })) }
  }
  const refused = await sql.query<{ reason: RefusalByState; count: number; ids: string[] }>(
    `SELECT answer AS reason, count(*)::int AS count, (array_agg(email_id))[1:${IDS_SHOWN}] AS ids
     FROM email_bulk_items WHERE bulk_id = $1 AND answer <> 'done' GROUP BY answer ORDER BY count(*) DESC`,
    [id],
  )
  return {
    ...viewOf(bulk),
    refused: refused.rows.map(refusedOf),
  }
}

function refusedOf({ reason, count, ids }: { reason: RefusalByState; count: number; ids: string[] }) {
  return { reason, sentence: REFUSALS[reason], count, ids }
}

function viewOf(bulk: Row): BulkView {
  const { id, actor, wish, total, lookedAt, done, failure, createdAt, finishedAt, stoppedAt, undoesId } = bulk
  const isKept = finishedAt !== null && bulk.forgottenAt === null
  const isPossible = isKept && done > 0 && undoesId === null && undoOf(wish.action).length > 0
  return {
    ...{ id, action: wish.action, label: VERBS[wish.action].label, byEmail: actor.email },
    ...{ total, lookedAt, done, failure, createdAt, finishedAt },
    state: finishedAt === null ? 'GOING_ON' : stoppedAt ? 'STOPPED' : failure ? 'FAILED' : 'FINISHED',
    undo: { isPossible: isPossible && bulk.undoneById === null, bulkId: bulk.undoneById },
  }
}
