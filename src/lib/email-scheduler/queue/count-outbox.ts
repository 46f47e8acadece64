import { QUEUE_PART_NAMES, type QueuePart } from '#lib/email-scheduler/queue-parts.ts'
import type { Sql } from '#lib/platform/database.ts'
import { countByState, type StateCount } from './email-counts.ts'
import { rowsMatching } from './list-outbox.ts'
import { candidatesSql, LAST_ID, type OutboxFilter, searchedSource, sourceOf, wanted } from './outbox-source.ts'

/** `isMore`: counting stopped there, and it is at least that many. */
export type Counted = { count: number; isMore: boolean }

/** What a search or a person finds is few, and is looked at email by email. */
const LOOKED_AT_MAX = 10_000

/**
 * How many emails stand in each part of the queue, of those that a filter finds: exact at any size, since the database
 * keeps count of whatever people filter by.
 */
export async function countOutbox(
  sql: Sql,
  workspaceId: string,
  filter: Omit<OutboxFilter, 'part'>,
): Promise<Record<QueuePart, Counted>> {
  const { states, isMore } = await countStates(sql, workspaceId, filter)
  const counts = QUEUE_PART_NAMES.map((part) => [part, { count: sumOf(states, { ...filter, part }), isMore }] as const)
  return Object.fromEntries(counts) as Record<QueuePart, Counted>
}

/** Of one part, or of what states are asked for. */
export async function countPart(sql: Sql, workspaceId: string, filter: OutboxFilter): Promise<Counted> {
  const { states, isMore } = await countStates(sql, workspaceId, filter)
  return { count: sumOf(states, filter), isMore }
}

type States = { states: StateCount[]; isMore: boolean }

async function countStates(sql: Sql, workspaceId: string, filter: OutboxFilter): Promise<States> {
  if (filter.search === undefined && filter.prospectId === undefined)
    return { states: await countByState(sql, workspaceId, filter), isMore: false }
  const { part: _, status: __, dismissed: ___, ...others } = filter
  return countOneByOne(sql, workspaceId, others)
}

async function countOneByOne(
  sql: Sql,
  workspaceId: string,
  filter: Omit<OutboxFilter, 'part' | 'status' | 'dismissed'>,
): Promise<States> {
  const search = filter.search ? await searchedSource(sql, workspaceId, filter.search) : undefined
  const source = search?.source ?? sourceOf(filter)
  const given = [workspaceId, LAST_ID, ...source.values]
  const { condition, values } = rowsMatching(workspaceId, filter, given.length + 1)
  const { rows } = await sql.query<StateCount & { looked: number }>(
    // As a list of ids, so that each row comes by its key: a join might read the whole table instead.
    `WITH found AS MATERIALIZED (SELECT coalesce(array_agg(id), '{}') AS ids FROM (${candidatesSql(source, LOOKED_AT_MAX, false)}) picked)
     SELECT e.status, e.dismissed_at IS NOT NULL AS "isDismissed", count(*)::int AS count, (SELECT cardinality(ids) FROM found) AS looked
     FROM scheduled_emails e WHERE e.id = ANY((SELECT ids FROM found)::uuid[]) AND ${condition} GROUP BY 1, 2`,
    [...given, ...values],
  )
  return { states: rows, isMore: rows[0]?.looked === LOOKED_AT_MAX || search?.isCut === true }
}

function sumOf(states: readonly StateCount[], filter: OutboxFilter): number {
  const meant = wanted(filter)
  const isMeant = (one: StateCount) =>
    meant.some(
      ({ status, isDismissed }) => status === one.status && (isDismissed ?? one.isDismissed) === one.isDismissed,
    )
  return states.reduce((sum, one) => (isMeant(one) ? sum + one.count : sum), 0)
}
