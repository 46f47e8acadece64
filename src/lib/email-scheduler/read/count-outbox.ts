import { QUEUE_PART_NAMES, type QueuePart } from '#lib/email-scheduler/queue-parts.ts'
import type { Sql } from '#lib/platform/database.ts'
import { rowsMatching } from './list-outbox.ts'
import { candidatesSql, isOfOneIndex, LAST_ID, type OutboxFilter, searchedSource, sourceOf } from './outbox-source.ts'

/** `isMore`: counting stopped there, and it is at least that many. */
export type Counted = { count: number; isMore: boolean }

/** Counting stops here: who has more in one part need not wait for the last digit. */
const COUNTED_MAX = 100_000
/** Where each row has to be looked at, since no index knows what is asked for. */
const LOOKED_AT_MAX = 2_000
/** Of few people, and of what waits for a person, they are worth looking at. */
const LOOKED_AT_OF_FEW_MAX = 10_000

/**
 * How many emails stand in each part of the queue, of those that a filter finds. Each part is counted out of the index
 * that lists it, up to a limit, so that a queue of ten million costs no more than one of a hundred thousand.
 */
export async function countOutbox(
  sql: Sql,
  workspaceId: string,
  filter: Omit<OutboxFilter, 'part'>,
): Promise<Record<QueuePart, Counted>> {
  const counted = {} as Record<QueuePart, Counted>
  for (const part of QUEUE_PART_NAMES) counted[part] = await countPart(sql, workspaceId, { ...filter, part })
  return counted
}

/** Of one part; `indexedMax` is where counting stops when an index alone tells. */
export async function countPart(
  sql: Sql,
  workspaceId: string,
  filter: OutboxFilter,
  indexedMax = COUNTED_MAX,
): Promise<Counted> {
  const search = filter.search ? await searchedSource(sql, workspaceId, filter.search) : undefined
  const source = search?.source ?? sourceOf(filter)
  const isOfIndex = isOfOneIndex(filter)
  const isOfFew = filter.part === 'decide' || filter.search !== undefined || filter.prospectId !== undefined
  const most = isOfIndex ? indexedMax : isOfFew ? LOOKED_AT_OF_FEW_MAX : LOOKED_AT_MAX
  const ids = candidatesSql(source, most, false)
  const given = [workspaceId, LAST_ID, ...source.values]
  const { condition, values } = rowsMatching(workspaceId, filter, given.length + 1)
  const { rows } = await sql.query<{ count: number; looked: number }>(
    isOfIndex
      ? `SELECT count(*)::int AS count, count(*)::int AS looked FROM (${ids}) found`
      : // As a list of ids, so that each row comes by its key: a join might read the whole table instead.
        `WITH found AS MATERIALIZED (SELECT coalesce(array_agg(id), '{}') AS ids FROM (${ids}) picked)
         SELECT (SELECT count(*)::int FROM scheduled_emails e WHERE e.id = ANY((SELECT ids FROM found)::uuid[]) AND ${condition}) AS count,
           cardinality(ids) AS looked FROM found`,
    isOfIndex ? given : [...given, ...values],
  )
  const { count = 0, looked = 0 } = rows[0] ?? {}
  return { count, isMore: looked === most }
}
