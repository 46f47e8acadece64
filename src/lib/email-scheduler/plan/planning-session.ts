import type pg from 'pg'
import { readSendingSettings } from '#lib/email-scheduler/sending-settings.ts'
import { SendingCalendar } from '#lib/guardrails/calendar.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { appNow } from '#lib/platform/clock.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { localDateOf } from '#lib/platform/time/local-date.ts'
import type { Occupancy } from './occupancy.ts'
import { Planner } from './plan.ts'
import { lockPlan, raiseSerial, settleVersion } from './plan-lock.ts'
import { readOccupancy, savePlannedDays, takeUpFreedPlaces } from './planned-days.ts'
import { type PlanningMailbox, readPlanningMailboxes } from './planning-mailboxes.ts'
import { readTakers } from './takers.ts'

/** A workspace's plan, locked for the open transaction. */
export type OpenPlan = {
  workspaceId: string
  /** Of the plan; what waits under an older one has to be planned again first. */
  version: number
  now: Date
  settings: SendingSettings
  mailboxIds: ReadonlySet<string>
  mailboxes: readonly PlanningMailbox[]
  /** Which mailbox sends what waited for one that was removed. */
  takers: ReadonlyMap<string, string>
  planner: Planner
  occupancy: Occupancy
}

/** From which moment a plan is made: given the database's time and the workspace's calendar. */
export type PlanMoment = (now: Date, calendar: SendingCalendar) => Date

const DRY_RUN_MINUTES_MAX = 10

/**
 * Goes on from the moment of a dry run that was made a few minutes ago, so that the launch plans the same to the minute.
 * Not across a midnight or the end of a window: what would leave in between could no longer leave then.
 */
export function goingOnFrom(dryRunAt: Date | null): PlanMoment {
  return (now, calendar) => {
    if (dryRunAt === null || dryRunAt > now) return now
    const [from, to] = [dryRunAt.getTime(), now.getTime()]
    const isRecent = to - from <= DRY_RUN_MINUTES_MAX * 60_000
    const isSameDay = calendar.dayAt(from) === calendar.dayAt(to)
    const missesNothing = calendar.isOpenAt(to) || (calendar.nextOpenMs(from) ?? to) > to
    return isRecent && isSameDay && missesNothing ? dryRunAt : now
  }
}

/** How long a plan is gone on with before its moment counts as past. */
const KNOWN_MS_MAX = 20_000

/**
 * Where batch after batch is planned. A session knows what it planned last and need not read it again as long as nobody
 * else has planned since (the serial tells), nothing was cancelled and no setting or mailbox has changed. A session
 * belongs to one run (a launch, a tick); after a failed transaction it forgets the workspace.
 */
export class PlanningSession {
  readonly #known = new Map<string, OpenPlan & { serial: number; basis: string; openedAt: Date }>()

  /** Locks the workspace's plan; undefined where the workspace has no settings, so that nothing can be planned. */
  async open(tx: Sql, workspaceId: string, momentOf: PlanMoment = (now) => now): Promise<OpenPlan | undefined> {
    const lock = await lockPlan(tx, workspaceId)
    const openedAt = await appNow(tx)
    const placesWereFreed = await takeUpFreedPlaces(tx, workspaceId)
    const known = this.#known.get(workspaceId)
    const isCurrent =
      known !== undefined &&
      !placesWereFreed &&
      known.serial === lock.serial &&
      known.version === lock.version &&
      known.basis === lock.currentBasis &&
      openedAt.getTime() - known.openedAt.getTime() < KNOWN_MS_MAX
    if (isCurrent) return known

    const settings = await readSendingSettings(tx, workspaceId)
    if (!settings) return undefined
    const calendar = new SendingCalendar(settings)
    const now = momentOf(openedAt, calendar)
    const today = calendar.dayAt(now.getTime())
    const horizon = localDateOf(today - 1)
    const mailboxes = await readPlanningMailboxes(tx, workspaceId, horizon)
    const takers = await readTakers(tx, workspaceId)
    const version = await settleVersion(tx, workspaceId, lock, horizon)
    const moment = { today, todayStartMs: calendar.startMs(today), nowMs: now.getTime() }
    const occupancy = await readOccupancy(tx, workspaceId, version, mailboxes, moment)
    const planner = new Planner({ settings, mailboxes, occupancy, nowMs: now.getTime() })
    const mailboxIds = new Set(mailboxes.map(({ id }) => id))
    const plan = {
      workspaceId,
      version,
      now,
      settings,
      mailboxIds,
      mailboxes,
      takers,
      planner,
      occupancy,
      serial: lock.serial,
      basis: lock.currentBasis,
      openedAt,
    }
    this.#known.set(workspaceId, plan)
    return plan
  }

  /** Writes what the batch took, in the transaction that inserts its emails. */
  async save(tx: Sql, plan: OpenPlan): Promise<void> {
    await savePlannedDays(tx, plan.workspaceId, plan.version, plan.occupancy)
    const serial = await raiseSerial(tx, plan.workspaceId)
    const known = this.#known.get(plan.workspaceId)
    if (known) known.serial = serial
  }

  /** Lets go of what it knows of a workspace, so that a tick over many holds one plan at a time. */
  forget(workspaceId: string): void {
    this.#known.delete(workspaceId)
  }

  /** One transaction on the workspace's plan. Where it does not commit, what the session knows of it was not kept. */
  async inTransaction<T>(pool: pg.Pool, workspaceId: string, work: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
    const forgetting = async <R>(run: () => Promise<R>): Promise<R> => {
      try {
        return await run()
      } catch (error) {
        this.#known.delete(workspaceId)
        throw error
      }
    }
    // Inside as well: after a deadlock the same work is run again.
    return forgetting(() => inTransaction(pool, (tx) => forgetting(() => work(tx))))
  }
}
