import { ACTION_TYPES } from '#lib/actions/action-types.ts'
import { type ClaimedAction, claimActions } from '#lib/actions/claim.ts'
import { markError } from '#lib/actions/settle.ts'
import { recoverActions, releaseHeld } from '#lib/actions/take-back.ts'
import { runCampaignAction } from './campaign-times.ts'
import { runPeopleActions } from './people.ts'
import type { ActionMeans } from './tell-member.ts'

/** Campaigns that have started, and actions of people. */
export type CarriedOut = { started: number; done: number }

const NOTHING: CarriedOut = { started: 0, done: 0 }

export const bothOf = (one: CarriedOut, other: CarriedOut): CarriedOut => ({
  started: one.started + other.started,
  done: one.done + other.done,
})

/** What is due of these, claim after claim. */
export async function runDueActions(
  means: ActionMeans,
  of: 'campaigns' | 'people',
  mayContinue: () => boolean,
): Promise<CarriedOut> {
  let all = NOTHING
  for (;;) {
    const claimed = await claimActions(means.pool, means.worker, of)
    for (const batch of inBatches(claimed)) all = bothOf(all, await carryOut(means, batch))
    if (claimed.length === 0 || !mayContinue()) return all
    means.log.debug({ claimed: claimed.length }, 'actions')
  }
}

/** Those that move people of one campaign on are carried out together. */
const BATCHES: Partial<Record<ClaimedAction['type'], string>> = {
  MOVE_ON: 'journey',
  WAIT: 'journey',
  TIMEOUT: 'journey',
  LOOK: 'journey',
}

/** Each is one commit, unless something in it fails. What hangs on a whole campaign goes first, and by itself. */
export function inBatches(claimed: readonly ClaimedAction[]): ClaimedAction[][] {
  const { ofCampaigns = [], ofPeople = [] } = Object.groupBy(claimed, ({ type }) =>
    ACTION_TYPES[type].isOfCampaign ? 'ofCampaigns' : 'ofPeople',
  )
  const together = Map.groupBy(ofPeople, ({ type, campaignId }) => `${BATCHES[type] ?? type} ${campaignId}`)
  return [...ofCampaigns.map((action) => [action]), ...together.values()]
}

/**
 * One batch: effects and completions in one commit. Where it fails it is taken back whole, and each is tried by itself: one
 * that cannot be carried out holds up no other.
 */
export async function carryOut(means: ActionMeans, batch: readonly ClaimedAction[]): Promise<CarriedOut> {
  const [first, ...others] = batch
  if (!first) return NOTHING
  if (others.length === 0) return tried(means, first)
  try {
    return { ...NOTHING, done: await runPeopleActions(means, batch) }
  } catch (error) {
    means.log.warn({ error, actions: batch.length }, 'a batch of actions failed; each is tried by itself')
  }
  let all = NOTHING
  for (const action of batch) all = bothOf(all, await tried(means, action))
  return all
}

async function tried(means: ActionMeans, action: ClaimedAction): Promise<CarriedOut> {
  const { pool, log } = means
  try {
    if (!ACTION_TYPES[action.type].isOfCampaign) return { ...NOTHING, done: await runPeopleActions(means, [action]) }
    return { ...NOTHING, started: (await runCampaignAction(pool, action)) ? 1 : 0 }
  } catch (error) {
    log.error({ error, actions: [action.id] }, 'an action failed')
    await markError(pool, [action], error instanceof Error ? error.message : String(error))
    return NOTHING
  }
}

/** What lost workers held, and what a pause held that is over. */
export async function takeBackActions({ pool, log }: Pick<ActionMeans, 'pool' | 'log'>): Promise<number> {
  const recovered = await recoverActions(pool)
  const released = await releaseHeld(pool)
  if (recovered + released > 0) log.info({ recovered, released }, 'actions were taken back')
  return recovered + released
}
