import type pg from 'pg'
import { giveBackActions } from '#lib/actions/by-broker/give-back.ts'
import { readUntaken, type Untaken } from '#lib/actions/by-broker/under-way.ts'
import type { ClaimedAction } from '#lib/actions/claim.ts'
import { type ActionCounted, countActions } from '#lib/actions/counts.ts'
import type { Log } from '#lib/platform/log.ts'
import type { Broker } from './broker.ts'
import type { Message } from './message.ts'
import { publish } from './publish.ts'

type Means = { pool: pg.Pool; log: Log }

/** As emails are published. Answers what is under way. */
export async function publishActions(
  { pool, log }: Means,
  broker: Broker,
  actions: readonly ClaimedAction[],
): Promise<ClaimedAction[]> {
  const { published, refused } = await publish(broker, 'action', actions, actionMessageOf)
  if (published.length > 0) log.info({ actions: published.length }, 'actions published')
  if (refused.length > 0) log.warn({ actions: refused.length, reason: 'broker-unreachable' }, 'actions not published')
  try {
    await giveBackActions(pool, refused, 'The broker did not take it.')
    await countActions(pool, countsOf(published, 'published'))
  } catch (error) {
    // Nothing is lost: recovery takes the actions when their leases end.
    log.error({ error }, 'what became of publishing could not be written down')
  }
  return published
}

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'
const REPUBLISHED_AT_ONCE = 500

/**
 * The broker is filled again from the table, by a worker that starts: what is claimed for a broker and in nobody's hands
 * is published once more, under the token that it has. What the broker still holds, it drops, or delivers twice; nothing
 * is done twice by that. Everything else that is due is claimed as ever. Answers how many were published.
 */
export async function republishActions({ pool, log }: Means, broker: Broker): Promise<number> {
  let count = 0
  for (let after = BEFORE_ALL; ; ) {
    const untaken = await readUntaken(pool, after, REPUBLISHED_AT_ONCE)
    const { published } = await publish(broker, 'action', untaken, actionMessageOf)
    await countActions(pool, countsOf(published, 'republished'))
    count += published.length
    const last = untaken.at(-1)
    if (untaken.length < REPUBLISHED_AT_ONCE || !last || published.length < untaken.length) break
    after = last.id
  }
  log.info({ actions: count }, 'what was on its way through the broker was published again')
  return count
}

export function actionMessageOf({
  id,
  dedupeKey,
  leaseToken,
}: Pick<Untaken, 'id' | 'dedupeKey' | 'leaseToken'>): Extract<Message, { kind: 'action' }> {
  return { kind: 'action', actionId: id, key: dedupeKey, leaseToken }
}

function countsOf(actions: readonly Untaken[], what: ActionCounted['what']): ActionCounted[] {
  return [...Map.groupBy(actions, ({ type }) => type)].map(([type, ones]) => ({ type, what, count: ones.length }))
}
