import { TIMEOUT_GRACE_SECONDS } from '#lib/actions/limits.ts'
import type { NewAction } from '#lib/actions/schedule.ts'
import { BY_THE_CLOCK, scheduleActions } from '#lib/actions/schedule.ts'
import { type Arrival, arrive } from '#lib/campaigns/journeys/arrive.ts'
import { type Journey, type NewStep, writeSteps } from '#lib/campaigns/journeys/journey.ts'
import { type Ending, endJourneys } from '#lib/campaigns/journeys/leave.ts'
import { decideByEvents, decideByTime, makeWaits, type NewWait } from '#lib/campaigns/journeys/waits.ts'
import { readSendingSettings } from '#lib/email-scheduler/sending-settings.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { CompiledGraph, Target } from '#lib/sequences/graph/compile-graph.ts'
import { DAY_MS, isByTheClock, waitUntil } from '#lib/sequences/graph/wait-until.ts'
import { type Passed, walk } from '#lib/sequences/graph/walk.ts'
import { doOnTheWay, followingFrom, type PassedBy } from './on-the-way.ts'

/** One person on the way from an edge, which counts from that moment. */
export type Going = { journey: Journey; target: Target; from: Date }

type Place = { workspaceId: string; heldMs: number; graphs: ReadonlyMap<number, CompiledGraph> }

/**
 * Takes people from an edge to where they next wait for something, all of one campaign at once: what is done on the way,
 * new waits with a look back to the email that they count from, and new places, in the transaction that also completes the
 * actions. Those whose branch is decided as they come to it go on at once; the graph leads nowhere back, so this ends.
 */
export async function movePeople(tx: Sql, place: Place, going: readonly Going[]): Promise<void> {
  const { workspaceId } = place
  const steps: NewStep[] = []
  const actions: NewAction[] = []
  const arrivals = new Map<string, Arrival>()
  const endings: Ending[] = []
  let timeZone: string | undefined
  for (let next = going; next.length > 0; ) {
    const passed = new Map<string, PassedBy>()
    const waits: NewWait[] = []
    const atBranches = new Map<string, Going>()
    for (const one of next) {
      const { journey, from } = one
      const { enrolmentId, round } = journey
      const graph = place.graphs.get(journey.graphVersion)
      const { passed: on, rest } = graph
        ? walk(graph, one.target, journey.left !== null)
        : { passed: [] as Passed[], rest: { kind: 'lost', nodeId: journey.nodeId ?? '' } as const }
      for (const node of on) passBy(passed, journey, node)
      switch (rest.kind) {
        case 'email':
          arrivals.set(enrolmentId, { enrolmentId, state: 'PLAN', nodeId: rest.nodeId, arrivedAt: from })
          break
        case 'wait': {
          timeZone ??= (await readSendingSettings(tx, workspaceId))?.timeZone ?? 'UTC'
          const nodeId = rest.node.id
          arrivals.set(enrolmentId, { enrolmentId, state: 'WAITING', nodeId, arrivedAt: from })
          const set = atPlace(one, 'WAIT', nodeId, waitUntil(rest.node.for, from, timeZone), place.heldMs)
          actions.push(isByTheClock(rest.node.for) ? { ...set, payload: BY_THE_CLOCK } : set)
          break
        }
        case 'branch': {
          const { anchorEmailId, anchoredAt } = journey
          const { id: nodeId, withinDays, if: awaited } = rest.node
          if (!anchorEmailId || !anchoredAt) throw new Error(`enrolment ${enrolmentId} is at a branch before any email`)
          const deadline = new Date(anchoredAt.getTime() + withinDays * DAY_MS)
          const { onEvent, onTimeout } = rest
          waits.push({
            journey: { ...journey, anchorEmailId, anchoredAt },
            nodeId,
            deadline,
            awaited,
            onEvent,
            onTimeout,
          })
          atBranches.set(enrolmentId, one)
          arrivals.set(enrolmentId, { enrolmentId, state: 'BRANCH', nodeId, arrivedAt: from })
          break
        }
        case 'moved':
          actions.push({
            ...followingFrom(journey, 'ENROL', rest.node.id),
            payload: { campaignId: rest.node.campaignId },
          })
          steps.push({ enrolmentId, round, nodeId: rest.node.id, what: 'moved' })
          endings.push({ enrolmentId, reason: 'MOVED' })
          break
        case 'end':
          endings.push({ enrolmentId, reason: 'WALKED_THROUGH' })
          break
        case 'left':
          endings.push({ enrolmentId, reason: journey.left ?? 'LEFT_NODE' })
          break
        case 'lost':
          endings.push({ enrolmentId, reason: 'NOT_IN_GRAPH' })
          break
      }
    }
    const done = await doOnTheWay(tx, workspaceId, [...passed.values()])
    steps.push(...done.steps)
    actions.push(...done.actions)
    next = await decideAtBranches(tx, place, waits, atBranches, { steps, actions })
  }
  for (const { enrolmentId } of endings) arrivals.delete(enrolmentId)
  await arrive(tx, [...arrivals.values()])
  await writeSteps(tx, workspaceId, steps)
  await scheduleActions(tx, workspaceId, actions)
  await endJourneys(tx, endings)
}

function passBy(passed: Map<string, PassedBy>, journey: Journey, node: Passed): void {
  // Two versions of a sequence may hold different things under one id.
  const key = `${journey.graphVersion} ${node.id}`
  const known = passed.get(key)
  if (known) known.people.push(journey)
  else passed.set(key, { node, people: [journey] })
}

type Told = { steps: NewStep[]; actions: NewAction[] }

/** Makes their waits, looks back, and answers those who need not wait. */
async function decideAtBranches(
  tx: Sql,
  { workspaceId }: Place,
  waits: readonly NewWait[],
  atBranches: ReadonlyMap<string, Going>,
  { steps, actions }: Told,
): Promise<Going[]> {
  if (waits.length === 0) return []
  const ids = [...atBranches.keys()]
  await makeWaits(tx, workspaceId, waits)
  const decided = [...(await decideByEvents(tx, ids)), ...(await decideByTime(tx, ids, TIMEOUT_GRACE_SECONDS))]
  const known = new Set(decided.map(({ enrolmentId }) => enrolmentId))
  for (const { journey, nodeId, deadline } of waits) {
    const one = atBranches.get(journey.enrolmentId)
    if (!one || known.has(journey.enrolmentId)) continue
    const dueAt = new Date(deadline.getTime() + TIMEOUT_GRACE_SECONDS * 1000)
    actions.push(atPlace(one, 'TIMEOUT', nodeId, dueAt, journey.anchorHeldMs))
  }
  return decided.flatMap(({ enrolmentId, nodeId, outcome, target, from }) => {
    const one = atBranches.get(enrolmentId)
    if (!one) return []
    steps.push({ enrolmentId, round: one.journey.round, nodeId, what: outcome === 'EVENT' ? 'yes' : 'no' })
    return [{ journey: one.journey, target, from }]
  })
}

function atPlace(
  { journey }: Going,
  type: 'WAIT' | 'TIMEOUT',
  nodeId: string,
  dueAt: Date,
  heldMsBefore: number,
): NewAction {
  const { enrolmentId, campaignId, prospectId, round } = journey
  const dedupeKey = `${type === 'WAIT' ? 'wait' : 'timeout'}:${enrolmentId}:${nodeId}:${round}`
  return { type, dedupeKey, dueAt, campaignId, enrolmentId, prospectId, nodeId, round, heldMsBefore }
}
