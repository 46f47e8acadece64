import type pg from 'pg'
import type { Campaign } from '#lib/campaigns/campaign.ts'
import { keepDryRun } from '#lib/campaigns/draft.ts'
import { countSetAside, readUnplanned } from '#lib/campaigns/unplanned.ts'
import { calendarOf } from '#lib/email-scheduler/calendar-of.ts'
import { clockMinutesOf } from '#lib/guardrails/calendar.ts'
import { type Sql, tryOut } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { dayOf } from '#lib/platform/time/local-date.ts'
import { fieldsNeeded } from '#lib/sequences/merge-fields.ts'
import { Planner } from './plan.ts'
import type { LimitedBy } from './plan-capacity.ts'
import type { Placement } from './plan-request.ts'
import { readPlannedRun } from './planned-run.ts'
import { goingOnFrom, type OpenPlan, type PlanMoment, PlanningSession } from './planning-session.ts'
import { batchSizeOf, mailboxesOf, NO_SETTINGS, NO_STEPS, planRequestOf, sortOut } from './schedule-batch.ts'

/** `held`: by the limit that bound on this date, how many emails it kept from going on it. */
export type DryDay = { date: string; emails: number; held: Partial<Record<LimitedBy, number>> }

/** By how much the clocks are put forward on that date; less than 0: back. */
export type ClockedDay = DryDay & { clockMinutes: number }

export type DryEmail = Pick<
  Placement,
  'enrolmentId' | 'stepNumber' | 'localDate' | 'mailboxId' | 'limitedBy' | 'limitedOn'
> & {
  at: Date
  prospectId: string
  prospect: string | null
  mailbox: string
}

export type DryRun = {
  /** The moment it was made for; a launch within ten minutes plans from the same. */
  madeFor: Date | null
  days: ClockedDay[]
  lastDate: string | null
  emails: number
  enrolments: number
  /** Those that are set aside already, and those that a launch would set aside. */
  skipped: number
  blocked: number
  /** Of a sequence that branches: how many of its emails everybody gets and are told here, and how many there are in all. */
  branching: { certain: number; steps: number } | null
  /** False where time ran out: what is told is true, and there is more. */
  isComplete: boolean
  /** What waits in the workspace is about to be planned again, which may move places. */
  waitsForReplan: boolean
  /** Why nothing can be planned, in words. */
  impossible: string | null
  page: DryEmail[]
  nextCursor: string | null
}

type Ask = {
  cursor?: string | undefined
  limit: number
  mayContinue(): boolean
  /** With one more mailbox: as the first of those it sends from, and new, so that it warms up where they do. */
  withOneMore?: boolean
}

/**
 * What a launch would do, by the launch's own steps, without a row written: the same batches in the same order through
 * the same planner. Held in memory are the totals by day, and the emails of the one day of which a page is asked.
 */
export async function dryRun(
  pool: pg.Pool,
  campaign: Campaign,
  { cursor, limit, mayContinue, withOneMore = false }: Ask,
): Promise<DryRun> {
  const at = readCursor(cursor)
  // The plan's lock is held while what is taken is read, not while planning.
  const opened = await tryOut(pool, async (tx) => {
    const plan = await new PlanningSession().open(tx, campaign.workspaceId, momentFor(campaign, at !== null))
    return { plan, waitsForReplan: plan ? await waitsForReplan(tx, plan) : false }
  })
  const run = new Run(at?.date ?? null, await countSetAside(pool, campaign.id))
  const { steps, all, branching } = await readPlannedRun(pool, campaign.sequenceId)
  if (branching) run.branching = { certain: steps.length, steps: all.length }
  const first = steps[0]
  const { plan } = opened
  if (!plan || !first) return run.answer(pool, plan, opened.waitsForReplan, plan ? NO_STEPS : NO_SETTINGS, 0, limit)
  if (!at && !withOneMore) await keepDryRun(pool, campaign, plan.now)
  const { planner, among } = withOneMore
    ? oneMore(plan, campaign)
    : { planner: plan.planner, among: mailboxesOf(campaign) }

  const fields = fieldsNeeded(all)
  let afterId: string | null = null
  while (run.isComplete) {
    if (!mayContinue()) {
      run.isComplete = false
      break
    }
    const batch = await readUnplanned(pool, campaign.id, batchSizeOf(campaign, steps.length), fields, afterId)
    const last = batch.at(-1)
    if (!last) break
    afterId = last.id
    const { planned, aside } = await sortOut(pool, plan, campaign, first, batch)
    const result = planner.plan(
      planned.map((enrolment) => planRequestOf(enrolment, campaign, steps)),
      among,
    )
    if (!result.ok) return run.answer(pool, plan, opened.waitsForReplan, result.error.sentence, 0, limit)
    plan.occupancy.takeChangedLanes()
    run.enrolments += planned.length
    for (const { state, ids } of aside) run[state === 'SKIPPED' ? 'skipped' : 'blocked'] += ids.length
    for (const placement of result.placements) run.take(placement)
  }
  return run.answer(pool, plan, opened.waitsForReplan, null, at?.offset ?? 0, limit)
}

/** The same plan over the same days, with a mailbox that is not there. */
function oneMore(plan: OpenPlan, campaign: Campaign): { planner: Planner; among: ReadonlySet<string> | null } {
  const among = mailboxesOf(campaign)
  const [like] = plan.mailboxes.filter(({ id }) => among === null || among.has(id))
  if (!like) return { planner: plan.planner, among }
  const { dailyLimit, rollingLimit } = like
  const extra = {
    id: newId(),
    dailyLimit,
    rollingLimit,
    sentDatesBefore: 0,
    deferredUntilMs: null,
    nextAllowedAtMs: null,
  }
  const { settings, occupancy, now } = plan
  return {
    planner: new Planner({ settings, mailboxes: [...plan.mailboxes, extra], occupancy, nowMs: now.getTime() }),
    among: among && new Set([...among, extra.id]),
  }
}

/** Now, or the start that is set. A later page goes on from the moment of the first, so that it is of the same plan. */
function momentFor({ scheduledAt, dryRunAt }: Campaign, isLaterPage: boolean): PlanMoment {
  return (now, calendar) => {
    const start = scheduledAt !== null && scheduledAt > now ? scheduledAt : now
    if (!isLaterPage || dryRunAt === null) return start
    return dryRunAt > now ? dryRunAt : goingOnFrom(dryRunAt)(now, calendar)
  }
}

function readCursor(cursor: string | undefined): { date: string; offset: number } | null {
  const [, date, offset] = /^(\d{4}-\d{2}-\d{2})~(\d{1,9})$/.exec(cursor ?? '') ?? []
  return date && offset ? { date, offset: Number(offset) } : null
}

async function waitsForReplan(tx: Sql, plan: OpenPlan): Promise<boolean> {
  const { rows } = await tx.query<{ waits: boolean }>(
    `SELECT EXISTS (SELECT FROM scheduled_emails WHERE workspace_id = $1 AND status = 'SCHEDULED' AND plan_version < $2) AS waits`,
    [plan.workspaceId, plan.version],
  )
  return rows[0]?.waits ?? false
}

class Run {
  isComplete = true
  branching: DryRun['branching'] = null
  enrolments = 0
  skipped: number
  blocked: number
  #emails = 0
  readonly #days = new Map<string, DryDay>()
  /** The day of which the emails are kept: the one asked for, or the first. */
  #date: string | null
  readonly #isGiven: boolean
  #kept: Placement[] = []

  constructor(date: string | null, aside: { skipped: number; blocked: number }) {
    this.skipped = aside.skipped
    this.blocked = aside.blocked
    this.#date = date
    this.#isGiven = date !== null
  }

  take(placement: Placement): void {
    const { localDate, limitedBy, limitedOn } = placement
    this.#emails += 1
    this.#day(localDate).emails += 1
    if (limitedBy !== 'nothing') {
      const { held } = this.#day(limitedOn)
      held[limitedBy] = (held[limitedBy] ?? 0) + 1
    }
    if (!this.#isGiven && (this.#date === null || localDate < this.#date)) {
      this.#date = localDate
      this.#kept = []
    }
    if (localDate === this.#date) this.#kept.push(placement)
  }

  #day(date: string): DryDay {
    let day = this.#days.get(date)
    if (day === undefined) {
      day = { date, emails: 0, held: {} }
      this.#days.set(date, day)
    }
    return day
  }

  async answer(
    sql: Sql,
    plan: OpenPlan | undefined,
    waits: boolean,
    impossible: string | null,
    offset: number,
    limit: number,
  ): Promise<DryRun> {
    const days = [...this.#days.values()].toSorted((one, other) => (one.date < other.date ? -1 : 1))
    const sent = days.filter(({ emails }) => emails > 0)
    const ordered = this.#kept.toSorted(
      (one, other) => one.scheduledForMs - other.scheduledForMs || (one.key < other.key ? -1 : 1),
    )
    const next = sent.find(({ date }) => this.#date !== null && date > this.#date)
    const nextCursor =
      ordered.length > offset + limit ? `${this.#date}~${offset + limit}` : next ? `${next.date}~0` : null
    return {
      madeFor: plan?.now ?? null,
      days: plan ? withClocks(plan, days) : [],
      lastDate: sent.at(-1)?.date ?? null,
      emails: this.#emails,
      enrolments: this.enrolments,
      skipped: this.skipped,
      blocked: this.blocked,
      isComplete: this.isComplete,
      branching: this.branching,
      waitsForReplan: waits,
      impossible,
      page: await withNames(sql, ordered.slice(offset, offset + limit)),
      nextCursor,
    }
  }
}

function withClocks({ settings }: OpenPlan, days: readonly DryDay[]): ClockedDay[] {
  const calendar = calendarOf(settings)
  return days.map((day) => ({ ...day, clockMinutes: clockMinutesOf(calendar.day(dayOf(day.date))) }))
}

async function withNames(sql: Sql, placements: readonly Placement[]): Promise<DryEmail[]> {
  if (placements.length === 0) return []
  const people = await sql.query<{ id: string; prospectId: string; email: string | null }>(
    `SELECT cp.id, p.id AS "prospectId", p.email FROM campaign_prospects cp JOIN prospects p ON p.id = cp.prospect_id
     WHERE cp.id = ANY($1::uuid[])`,
    [placements.map(({ enrolmentId }) => enrolmentId)],
  )
  const mailboxes = await sql.query<{ id: string; address: string }>(
    'SELECT id, address FROM mailboxes WHERE id = ANY($1::uuid[])',
    [[...new Set(placements.map(({ mailboxId }) => mailboxId))]],
  )
  const personOf = new Map(people.rows.map((row) => [row.id, row]))
  const addressOf = new Map(mailboxes.rows.map(({ id, address }) => [id, address]))
  return placements.map((placement) => ({
    enrolmentId: placement.enrolmentId,
    stepNumber: placement.stepNumber,
    localDate: placement.localDate,
    mailboxId: placement.mailboxId,
    limitedBy: placement.limitedBy,
    limitedOn: placement.limitedOn,
    at: new Date(placement.scheduledForMs),
    prospectId: personOf.get(placement.enrolmentId)?.prospectId ?? '',
    prospect: personOf.get(placement.enrolmentId)?.email ?? null,
    mailbox: addressOf.get(placement.mailboxId) ?? '',
  }))
}
