import { cancelActionsOfPeople } from '#lib/actions/cancel.ts'
import type { ClaimedAction } from '#lib/actions/claim.ts'
import { TIMEOUT_GRACE_SECONDS } from '#lib/actions/limits.ts'
import { type Judged, lockOwnActions, settleActions, type Verdict } from '#lib/actions/settle.ts'
import { type Campaign, lockCampaignShared } from '#lib/campaigns/campaign.ts'
import { type Journey, lockJourneys, type NewStep, writeSteps } from '#lib/campaigns/journeys/journey.ts'
import { endJourneys } from '#lib/campaigns/journeys/leave.ts'
import { type Decided, decideByEvents, decideByTime, readDecided } from '#lib/campaigns/journeys/waits.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { readKeptGraphs } from '#lib/sequences/graph/graph-versions.ts'
import { type Going, movePeople } from './move-people.ts'

/**
 * Moves on, waits that are over, time-outs and looks at events, of one campaign. Campaign, people, journeys and actions are
 * locked in this order, as everywhere; a person who has left, stopped or paused in between is seen here. Completion and
 * effect are one commit.
 */
export async function runJourneyActions(tx: Sql, batch: readonly ClaimedAction[]): Promise<number> {
  const [first] = batch
  if (!first) return 0
  const campaign = await lockCampaignShared(tx, first.workspaceId, first.campaignId)
  if (!campaign) throw new Error(`campaign ${first.campaignId} is gone`)
  const journeys = await lockJourneys(tx, [...new Set(batch.map(({ enrolmentId }) => enrolmentId ?? ''))])
  const mine = await lockOwnActions(tx, batch)
  const now = await appNow(tx)
  const heldMs = heldNow(campaign, now)
  const judged: Judged[] = []
  const acting: { action: ClaimedAction; journey: Journey }[] = []
  for (const action of mine) {
    const journey = journeys.get(action.enrolmentId ?? '')
    const verdict = judge(action, journey, campaign, heldMs)
    if (verdict || !journey) judged.push({ action, verdict: verdict ?? { kind: 'cancelled', reason: 'LEFT_NODE' } })
    else acting.push({ action, journey })
  }
  const stopped = campaign.status === 'STOPPED' ? acting : []
  const { going, steps, waiting } = stopped.length > 0 ? NOTHING : await whereTo(tx, campaign, acting)
  const late = new Set(waiting.map(({ id }) => id))
  for (const { action } of acting) {
    // Its deadline has moved: it comes again then.
    const again = { kind: 'put-off', dueAt: new Date(now.getTime() + TIMEOUT_GRACE_SECONDS * 1000), heldMs } as const
    const over = { kind: 'cancelled', reason: 'CAMPAIGN_STOPPED' } as const
    judged.push({ action, verdict: stopped.length > 0 ? over : late.has(action.id) ? again : { kind: 'done' } })
  }
  await settleActions(tx, judged)
  // Leaving a branch cancels what waits for it.
  const fromBranches = going.flatMap(({ journey }) => (journey.state === 'BRANCH' ? [journey.enrolmentId] : []))
  if (fromBranches.length > 0) await cancelActionsOfPeople(tx, fromBranches, 'LEFT_NODE')
  await writeSteps(tx, campaign.workspaceId, steps)
  if (stopped.length > 0)
    await endJourneys(
      tx,
      stopped.map(({ journey }) => ({ enrolmentId: journey.enrolmentId, reason: 'CAMPAIGN_STOPPED' })),
    )
  else {
    const versions = going.map(({ journey }) => journey.graphVersion)
    const graphs = going.length > 0 ? await readKeptGraphs(tx, campaign.sequenceId, versions) : new Map()
    await movePeople(tx, { workspaceId: campaign.workspaceId, heldMs, graphs }, going)
  }
  return judged.filter(({ verdict }) => verdict.kind === 'done').length
}

const NOTHING: { going: Going[]; steps: NewStep[]; waiting: ClaimedAction[] } = { going: [], steps: [], waiting: [] }

function heldNow({ clockHeldMs, clockHeldSince }: Campaign, now: Date): number {
  return clockHeldMs + (clockHeldSince ? now.getTime() - clockHeldSince.getTime() : 0)
}

const STATE_OF = { MOVE_ON: 'MOVING', WAIT: 'WAITING', TIMEOUT: 'BRANCH' } as const

/** What becomes of it without a look at the graph; undefined where it is to be carried out. */
function judge(
  action: ClaimedAction,
  journey: Journey | undefined,
  { clockHeldSince }: Campaign,
  heldMs: number,
): Verdict | undefined {
  const { type } = action
  if (type === 'LOOK') return journey?.state === 'BRANCH' ? undefined : { kind: 'done' }
  const isThere = journey?.nodeId === action.nodeId && journey.round === action.round
  if (!isThere || journey.state !== STATE_OF[type as keyof typeof STATE_OF])
    return { kind: 'cancelled', reason: 'LEFT_NODE' }
  if (type === 'MOVE_ON') return undefined
  if (clockHeldSince) return { kind: 'held' }
  if (action.payload.byTheClock) return undefined
  const owedMs = heldMs - action.heldMsBefore
  return owedMs > 0 ? { kind: 'put-off', dueAt: new Date(action.dueAt.getTime() + owedMs), heldMs } : undefined
}

type Acting = { action: ClaimedAction; journey: Journey }

/** Along which edge each of them goes. */
async function whereTo(tx: Sql, { sequenceId }: Campaign, acting: readonly Acting[]): Promise<typeof NOTHING> {
  const idsOf = (...types: ClaimedAction['type'][]) => [
    ...new Set(acting.filter(({ action }) => types.includes(action.type)).map(({ journey }) => journey.enrolmentId)),
  ]
  const journeyOf = new Map(acting.map(({ journey }) => [journey.enrolmentId, journey]))
  const steps: NewStep[] = []
  const told = (decided: readonly Decided[]): Going[] =>
    decided.flatMap(({ enrolmentId, nodeId, outcome, target, from }) => {
      const journey = journeyOf.get(enrolmentId)
      if (!journey) return []
      steps.push({ enrolmentId, nodeId, round: journey.round, what: outcome === 'EVENT' ? 'yes' : 'no' })
      return [{ journey, target, from }]
    })
  const atBranches = idsOf('TIMEOUT', 'LOOK')
  const byEvents = atBranches.length > 0 ? told(await decideByEvents(tx, atBranches)) : []
  const timedOut = idsOf('TIMEOUT')
  const byTime = timedOut.length > 0 ? told(await decideByTime(tx, timedOut, TIMEOUT_GRACE_SECONDS)) : []
  const moving = acting.filter(({ action }) => action.type === 'MOVE_ON')
  const fromBranches = moving.length > 0 ? told(await readDecided(tx, idsOf('MOVE_ON'))) : []
  const decided = new Set([...byEvents, ...byTime, ...fromBranches].map(({ journey }) => journey.enrolmentId))
  const passing = acting.filter(
    ({ action, journey }) => (action.type === 'MOVE_ON' || action.type === 'WAIT') && !decided.has(journey.enrolmentId),
  )
  const graphs =
    passing.length > 0
      ? await readKeptGraphs(
          tx,
          sequenceId,
          passing.map(({ journey }) => journey.graphVersion),
        )
      : new Map()
  const onwards = passing.map(({ action, journey }): Going => {
    const { enrolmentId, round, nodeId, arrivedAt } = journey
    const found = graphs.get(journey.graphVersion)?.nodes.get(nodeId ?? '')
    steps.push({ enrolmentId, round, nodeId: nodeId ?? '', what: action.type === 'WAIT' ? 'waited' : 'sent' })
    return {
      journey,
      target: found && 'next' in found ? found.next : null,
      from: action.type === 'WAIT' ? action.dueAt : arrivedAt,
    }
  })
  return {
    going: [...byEvents, ...byTime, ...fromBranches, ...onwards],
    steps,
    // Those whose time-out is due by its row, and by the wait's own reckoning is not.
    waiting: acting.flatMap(({ action, journey }) =>
      action.type === 'TIMEOUT' && !decided.has(journey.enrolmentId) ? [action] : [],
    ),
  }
}
