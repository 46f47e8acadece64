import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { countActions } from '#lib/actions/counts.ts'
import { TIMEOUT_GRACE_SECONDS } from '#lib/actions/limits.ts'
import { BY_THE_CLOCK, type NewAction, scheduleActions } from '#lib/actions/schedule.ts'
import { type Campaign, lockCampaign, lockCampaignShared } from '#lib/campaigns/campaign.ts'
import { type Journey, lockJourneys } from '#lib/campaigns/journeys/journey.ts'
import {
  findLacking,
  type Lack,
  type Lacking,
  lackNow,
  noteSent,
  readOpenWaits,
} from '#lib/campaigns/journeys/lacking.ts'
import { moveOn, moveOnAction } from '#lib/campaigns/journeys/leave.ts'
import { makeWaits, readDecided } from '#lib/campaigns/journeys/waits.ts'
import { CAMPAIGNS_WITHOUT_THEIR_TIMES, setTimes } from '#lib/campaigns/times.ts'
import { readSendingSettings } from '#lib/email-scheduler/sending-settings.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import type { Log } from '#lib/platform/log.ts'
import { readKeptGraphs } from '#lib/sequences/graph/graph-versions.ts'
import { DAY_MS, isByTheClock, waitUntil } from '#lib/sequences/graph/wait-until.ts'

const EVERY_MS = 60_000

type Sweeping = { cursor: string; sweptMs: number }

const sweeps = new WeakMap<pg.Pool, Sweeping>()

/**
 * Finds what should exist and does not, mends it and says so: an enrolment at a node without its action, a wait whose event
 * is there and unmatched, a campaign without its start. There is none, unless rows were lost or a hand was in between: a
 * stretch of those on the way is looked at now and then, so that it costs the same however many they are. A process begins
 * where chance has it, so that short-lived ones come everywhere as well.
 */
export async function sweepIfTime(pool: pg.Pool, log: Log, everyMs = EVERY_MS): Promise<number> {
  const sweeping = sweeps.get(pool) ?? { cursor: randomUUID(), sweptMs: Number.NEGATIVE_INFINITY }
  sweeps.set(pool, sweeping)
  if (performance.now() - sweeping.sweptMs < everyMs) return 0
  sweeping.sweptMs = performance.now()
  const { mended, endedAt } = await sweep(pool, log, sweeping.cursor)
  sweeping.cursor = endedAt ?? BEFORE_ALL
  return mended
}

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** Everything, from the beginning to the end: after a restore, and for tests. */
export async function sweepAll(pool: pg.Pool, log: Log): Promise<number> {
  let all = 0
  for (let cursor: string | null = BEFORE_ALL; cursor !== null; ) {
    const { mended, endedAt }: { mended: number; endedAt: string | null } = await sweep(pool, log, cursor)
    all += mended
    cursor = endedAt
  }
  return all
}

async function sweep(pool: pg.Pool, log: Log, cursor: string): Promise<{ mended: number; endedAt: string | null }> {
  const { lacking, endedAt } = await findLacking(pool, cursor)
  let mended = await mendTimes(pool, log)
  for (const ones of Map.groupBy(lacking, ({ campaignId }) => campaignId).values())
    mended += await mend(pool, log, ones)
  return { mended, endedAt }
}

async function mendTimes(pool: pg.Pool, log: Log): Promise<number> {
  const { rows } = await pool.query<{ id: string; workspace_id: string }>(CAMPAIGNS_WITHOUT_THEIR_TIMES)
  for (const { id, workspace_id } of rows) {
    await inTransaction(pool, async (tx) => setTimes(tx, await lockCampaign(tx, workspace_id, id)))
    log.error({ campaignId: id }, 'a campaign lacked its start or its end, which is set again')
    await countActions(pool, [{ type: 'START_CAMPAIGN', what: 'mended', count: 1 }])
  }
  return rows.length
}

/** Locked as by everybody, and looked at once more. What a person cancelled is no lack: they have left by that. */
async function mend(pool: pg.Pool, log: Log, lacking: readonly Lacking[]): Promise<number> {
  const [first] = lacking
  if (!first) return 0
  const { workspaceId, campaignId } = first
  return inTransaction(pool, async (tx) => {
    const campaign = await lockCampaignShared(tx, workspaceId, campaignId)
    if (!campaign || campaign.status === 'STOPPED') return 0
    const ids = lacking.map(({ enrolmentId }) => enrolmentId)
    const journeys = await lockJourneys(tx, ids)
    const lacks = await lackNow(tx, ids)
    const of = (lack: Lack) => [...journeys.values()].filter(({ enrolmentId }) => lacks.get(enrolmentId) === lack)
    const sent = of('sent')
    if (sent.length > 0)
      await noteSent(
        tx,
        sent.map(({ enrolmentId }) => enrolmentId),
      )
    const stuck = of('open-wait')
    // Decided, and not gone on since; or never made.
    const decided = new Set(
      (
        await readDecided(
          tx,
          stuck.map(({ enrolmentId }) => enrolmentId),
        )
      ).map((one) => one.enrolmentId),
    )
    const going = stuck.filter(({ enrolmentId }) => decided.has(enrolmentId))
    if (going.length > 0)
      await moveOn(
        tx,
        going.map((journey) => ({ ...journey, nodeId: journey.nodeId ?? '' })),
      )
    const remade = await makeWaitsAgain(
      tx,
      campaign.sequenceId,
      stuck.filter(({ enrolmentId }) => !decided.has(enrolmentId)),
    )
    const actions = [
      ...[...sent, ...of('move-on')].map(movingOn),
      ...of('look').map((journey) => again(journey, 'LOOK')),
      ...(await waitsAgain(tx, campaign, of('wait'))),
      ...(await timeoutsAgain(tx, [...of('timeout'), ...remade])),
    ]
    await scheduleActions(tx, workspaceId, actions)
    for (const [type, ones] of Map.groupBy(actions, (action) => action.type))
      await countActions(tx, [{ type, what: 'mended', count: ones.length }])
    if (lacks.size > 0)
      log.error(
        { campaignId, lacks: Object.fromEntries(lacks) },
        'people on the way lacked what is to move them on; it is mended',
      )
    return lacks.size
  })
}

/** Under a key of its own: the first one's is never free again. */
function again(journey: Journey, type: 'LOOK' | 'WAIT' | 'TIMEOUT', dueAt?: Date, heldMsBefore = 0): NewAction {
  const { enrolmentId, campaignId, prospectId, nodeId, round } = journey
  const dedupeKey = `${type.toLowerCase()}:${enrolmentId}:${nodeId}:${round}:${randomUUID()}`
  return { type, dedupeKey, dueAt, campaignId, enrolmentId, prospectId, nodeId: nodeId ?? '', round, heldMsBefore }
}

function movingOn(journey: Journey): NewAction {
  const action = moveOnAction({ ...journey, nodeId: journey.nodeId ?? '' })
  return { ...action, dedupeKey: `${action.dedupeKey}:${randomUUID()}` }
}

async function waitsAgain(
  tx: Sql,
  { sequenceId, clockHeldMs }: Campaign,
  journeys: readonly Journey[],
): Promise<NewAction[]> {
  const [first] = journeys
  if (!first) return []
  const timeZone = (await readSendingSettings(tx, first.workspaceId))?.timeZone ?? 'UTC'
  const graphs = await readKeptGraphs(
    tx,
    sequenceId,
    journeys.map(({ graphVersion }) => graphVersion),
  )
  return journeys.map((journey) => {
    const node = graphs.get(journey.graphVersion)?.nodes.get(journey.nodeId ?? '')?.node
    const dueAt = node?.type === 'wait' ? waitUntil(node.for, journey.arrivedAt, timeZone) : undefined
    const set = again(journey, 'WAIT', dueAt, clockHeldMs)
    return node?.type === 'wait' && isByTheClock(node.for) ? { ...set, payload: BY_THE_CLOCK } : set
  })
}

async function timeoutsAgain(tx: Sql, journeys: readonly Journey[]): Promise<NewAction[]> {
  const waits = await readOpenWaits(
    tx,
    journeys.map(({ enrolmentId }) => enrolmentId),
  )
  return journeys.flatMap((journey) => {
    const wait = waits.get(journey.enrolmentId)
    if (!wait) return []
    const dueAt = new Date(wait.deadline.getTime() + TIMEOUT_GRACE_SECONDS * 1000)
    return [again(journey, 'TIMEOUT', dueAt, wait.heldMsBefore)]
  })
}

async function makeWaitsAgain(tx: Sql, sequenceId: string, journeys: readonly Journey[]): Promise<Journey[]> {
  const [first] = journeys
  if (!first) return []
  const graphs = await readKeptGraphs(
    tx,
    sequenceId,
    journeys.map(({ graphVersion }) => graphVersion),
  )
  const waits = journeys.flatMap((journey) => {
    const found = graphs.get(journey.graphVersion)?.nodes.get(journey.nodeId ?? '')
    const { anchorEmailId, anchoredAt } = journey
    if (!found || !('onEvent' in found) || !anchorEmailId || !anchoredAt) return []
    const { node, onEvent, onTimeout } = found
    const deadline = new Date(anchoredAt.getTime() + node.withinDays * DAY_MS)
    return [
      {
        journey: { ...journey, anchorEmailId, anchoredAt },
        nodeId: node.id,
        deadline,
        awaited: node.if,
        onEvent,
        onTimeout,
      },
    ]
  })
  await makeWaits(tx, first.workspaceId, waits)
  return journeys.filter(({ enrolmentId }) => waits.some(({ journey }) => journey.enrolmentId === enrolmentId))
}
