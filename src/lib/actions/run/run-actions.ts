import type pg from 'pg'
import { type ClaimedAction, claimActions } from '#lib/actions/claim.ts'
import { markError } from '#lib/actions/settle.ts'
import { recoverActions, releaseHeld } from '#lib/actions/take-back.ts'
import type { Log } from '#lib/platform/log.ts'
import { runCampaignAction } from './campaign-times.ts'
import { runPeopleActions } from './people.ts'
import type { ActionMeans } from './tell-member.ts'

/** Starts and ends of campaigns that are due; answers how many have started. */
export async function runCampaignActions(
  { pool, worker, log }: ActionMeans,
  mayContinue: () => boolean,
): Promise<number> {
  let started = 0
  for (;;) {
    const claimed = await claimActions(pool, worker, 'campaigns')
    for (const action of claimed)
      if (await tried(pool, log, [action], () => runCampaignAction(pool, action))) started += 1
    if (claimed.length === 0 || !mayContinue()) return started
  }
}

/** What is due of people, batch after batch; answers how many actions were carried out. */
export async function runDueActions(means: ActionMeans, mayContinue: () => boolean): Promise<number> {
  const { pool, worker, log } = means
  let done = 0
  for (;;) {
    const claimed = await claimActions(pool, worker, 'people')
    const batches = Map.groupBy(claimed, ({ type, campaignId }) => `${BATCHES[type] ?? type} ${campaignId}`)
    for (const batch of batches.values()) done += await runBatch(means, batch)
    if (claimed.length === 0 || !mayContinue()) return done
    log.debug({ claimed: claimed.length }, 'actions')
  }
}

/** Those that move people of one campaign on are carried out together. */
const BATCHES: Partial<Record<ClaimedAction['type'], string>> = {
  MOVE_ON: 'journey',
  WAIT: 'journey',
  TIMEOUT: 'journey',
  LOOK: 'journey',
}

/** Where a batch fails it is taken back whole, and each is tried by itself: one that cannot be carried out holds up no other. */
async function runBatch(means: ActionMeans, batch: readonly ClaimedAction[]): Promise<number> {
  const { pool, log } = means
  if (batch.length === 1) return (await tried(pool, log, batch, () => runPeopleActions(means, batch))) ?? 0
  try {
    return await runPeopleActions(means, batch)
  } catch (error) {
    log.warn({ error, actions: batch.length }, 'a batch of actions failed; each is tried by itself')
  }
  let done = 0
  for (const action of batch) done += (await tried(pool, log, [action], () => runPeopleActions(means, [action]))) ?? 0
  return done
}

async function tried<T>(
  pool: pg.Pool,
  log: Log,
  actions: readonly ClaimedAction[],
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    log.error({ error, actions: actions.map(({ id }) => id) }, 'an action failed')
    await markError(pool, actions, error instanceof Error ? error.message : String(error))
    return undefined
  }
}

/** What lost workers held, and what a pause held that is over. */
export async function takeBackActions({ pool, log }: Pick<ActionMeans, 'pool' | 'log'>): Promise<number> {
  const recovered = await recoverActions(pool)
  const released = await releaseHeld(pool)
  if (recovered + released > 0) log.info({ recovered, released }, 'actions were taken back')
  return recovered + released
}
