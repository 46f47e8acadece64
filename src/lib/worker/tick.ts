import type pg from 'pg'
import type { TellMember } from '#lib/actions/run/tell-member.ts'
import { NOTHING_SENT } from '#lib/delivery/sending-counts.ts'
import { forgetOldBulks } from '#lib/email-scheduler/verbs/forget-bulks.ts'
import { Deadline, type TimeLeft } from '#lib/mail/deadline.ts'
import type { Log } from '#lib/platform/log.ts'
import { forgetKeptAnswers } from '#lib/tenancy/kept-answers.ts'
import { type Courier, NOTHING_TOLD } from '#lib/webhooks/courier.ts'
import { actDirectly } from './acting.ts'
import { recordTickEnd, recordTickStart } from './heartbeat.ts'
import type { Claiming, Sending } from './send-due.ts'
import type { TickSummary } from './tick-summary.ts'
import { Upkeep } from './upkeep.ts'
import { watchServer } from './watch-server.ts'
import type { Witness } from './witness.ts'

const PLANNING_MS_MAX = 60_000

export type TickOptions = {
  /** Knows how far the database was when the last process ended. */
  witness?: Witness | undefined
  /** How long it plans; the next tick goes on. */
  planning?: TimeLeft
  /** Looks beside all of it whether the promise holds, where it is time for that. */
  promise?: Looker | undefined
  /** Tells a member of what a sequence came to. */
  tellMember?: TellMember | undefined
  /** Says what the product has to say by itself, where it is time for that. */
  ownMail?: Looker | undefined
  /** Tells the workspaces' own programs of events. With a time, beside this tick; else it works by itself, and is only counted. */
  webhooks?: { courier: Courier; time?: TimeLeft }
  /** Without it, the tick plans and recovers only. */
  sending?: {
    sender: Sending
    /** How long it claims. */
    time: TimeLeft
    signal?: AbortSignal
    /** What is in flight when claiming ends is waited for; else the sender goes on beside the next tick. */
    endsWithTick: boolean
  }
}

/** Handed in, since what it looks at is everybody's. It must not fail, and bounds itself. */
export type Looker = { lookIfTime(mayContinue: () => boolean): Promise<unknown> }

/** One round of everything that happens at a time: the one place where the product's parts meet. */
export async function runTick(
  pool: pg.Pool,
  worker: string,
  log: Log,
  { witness, ...options }: TickOptions = {},
): Promise<TickSummary> {
  const work = () => tick(pool, worker, log, options)
  if (!witness) return work()
  await witness.recall()
  return witness.beside(work)
}

async function tick(
  pool: pg.Pool,
  worker: string,
  log: Log,
  {
    planning = new Deadline(PLANNING_MS_MAX),
    promise,
    ownMail,
    tellMember,
    webhooks,
    sending,
  }: Omit<TickOptions, 'witness'>,
): Promise<TickSummary> {
  const started = performance.now()
  const { startedAt, mustLookAtServer, hasGoneBack, hasOldAnswers, hasOldBulks, ...found } = await recordTickStart(
    pool,
    worker,
  )
  if (mustLookAtServer) await watchServer(pool, log, hasGoneBack)
  if (hasOldAnswers) await forgetKeptAnswers(pool)
  if (hasOldBulks) await forgetOldBulks(pool)
  const means = { pool, log, worker, tellMember }
  const mayLook = () => planning.leftMs() > 0 && !sending?.signal?.aborted
  const looked = Promise.all([promise?.lookIfTime(mayLook), ownMail?.lookIfTime(mayLook)])
  const acting = sending?.sender.acting?.(means) ?? actDirectly(means)
  const gatherEvidence = async () => (await sending?.sender.gatherEvidence()) ?? 0
  // Told to end, it begins nothing more either.
  const time = { leftMs: () => (sending?.signal?.aborted ? 0 : planning.leftMs()) }
  const upkeep = new Upkeep(pool, log, time, gatherEvidence, acting)
  if (sending) {
    const sent = send(sending, () => upkeep.mayMoreCome())
    // Both come to their end, whichever fails: a tick that has ended leaves nothing running but what is in flight.
    const kept = upkeep.beside(sent, found)
    const told =
      webhooks?.time &&
      webhooks.courier.beside(
        { ended: Promise.allSettled([sent, kept]), didAnything: () => sending.sender.hasClaimed || upkeep.hasDone },
        found,
        webhooks.time,
      )
    const ended = await Promise.allSettled([sent, kept, looked, told])
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  } else {
    await looked
    const kept = upkeep.once(found)
    const told =
      webhooks?.time &&
      webhooks.courier.beside({ ended: kept, didAnything: () => upkeep.hasDone }, found, webhooks.time)
    await kept
    await told
  }
  const summary: TickSummary = {
    worker,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - started),
    ...(sending?.sender.takeCounts() ?? NOTHING_SENT),
    ...upkeep.done,
    ...(webhooks?.courier.takeCounts() ?? NOTHING_TOLD),
  }
  await recordTickEnd(pool, worker, summary)
  log.info(summary, 'tick')
  return summary
}

async function send(
  { sender, endsWithTick, ...claiming }: NonNullable<TickOptions['sending']>,
  mayMoreCome: Claiming['mayMoreCome'],
): Promise<void> {
  try {
    await sender.claimDue({ ...claiming, mayMoreCome })
  } finally {
    if (endsWithTick) await sender.drain()
  }
}
