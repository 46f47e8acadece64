import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cancelWaiting } from '#lib/email-scheduler/effects/cancel-waiting.ts'
import type { Refused, SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { mark } from '#lib/email-scheduler/send/mark.ts'
import { recover } from '#lib/email-scheduler/send/recover.ts'
import { release } from '#lib/email-scheduler/send/release.ts'
import { settle } from '#lib/email-scheduler/send/settle.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import { cancel } from '#lib/email-scheduler/verbs/cancel.ts'
import { dismiss } from '#lib/email-scheduler/verbs/dismiss.ts'
import type { PersonAnswer } from '#lib/email-scheduler/verbs/person-verb.ts'
import { assumeDelivered, sendAgain } from '#lib/email-scheduler/verbs/resolve.ts'
import { restore } from '#lib/email-scheduler/verbs/restore.ts'
import { retryFailed } from '#lib/email-scheduler/verbs/retry.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import type { AttemptOutcome } from '#lib/platform/generated/enums.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { claimDue, makeEmails, type TestEmail } from '#tests/support/data/emails.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { canBeTold, type HistoryItem } from './history.ts'
import { type Action, giveTimes, type Model, newModel, type Outcome, passTime, possible } from './queue-model.ts'

const db = testDatabase()

const PROSPECTS = 2
const STEPS = 2
const RUN_MS = 25_000
/** What has to have come up at least once. */
const CORNERS = ['mark: already-marked', 'mark: already-accepted', 'settle: late SENT', 'settle: late SENDING']
const LEASE_MS = 60_000
const SUBMIT_MS = 20_000

/** What a worker holds in its hands, rightly or no longer: it does not know. */
type Hand = {
  email: number
  token: number
  worker: string
  claimedAt: Date
  marked: boolean
  outcome?: Outcome
  truth?: Outcome
  reported: boolean
}

/** What is drawn: an action before it is known whom it meets. */
type Drawn =
  | { what: 'claim'; worker: string }
  | { what: 'mark'; hand: number; outcome: Outcome; truth: 'accepted' | 'retry' }
  | { what: 'settle'; hand: number }
  | { what: 'release'; hand: number; suppressed: boolean }
  | { what: 'recover' | 'stop' }
  | { what: 'unsubscribe'; prospect: number }
  | { what: 'retry' | 'assume' | 'again' | 'dismiss' | 'cancel' | 'restore'; email: number }

const hand = fc.nat({ max: 3 })
const email = fc.nat({ max: PROSPECTS * STEPS - 1 })
const drawn: fc.Arbitrary<Drawn> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constant('claim' as const), worker: fc.constantFrom('A', 'B') }) },
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant('mark' as const),
      hand,
      outcome: fc.constantFrom<Outcome>('accepted', 'retry', 'rejected', 'unknown', 'unknown'),
      truth: fc.constantFrom('accepted' as const, 'retry' as const),
    }),
  },
  { weight: 8, arbitrary: fc.record({ what: fc.constant('settle' as const), hand }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('release' as const), hand, suppressed: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('recover' as const) }) },
  { weight: 5, arbitrary: fc.record({ what: fc.constantFrom('retry' as const, 'again' as const), email }) },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constantFrom('assume' as const, 'dismiss' as const, 'cancel' as const, 'restore' as const),
      email,
    }),
  },
)
// Final for everything else, so it comes rarely.
const leaving: fc.Arbitrary<Drawn> = fc.oneof(
  fc.record({ what: fc.constant('stop' as const) }),
  fc.record({ what: fc.constant('unsubscribe' as const), prospect: fc.nat({ max: PROSPECTS - 1 }) }),
)
type Round = Drawn[] | 'time passes' | 'times are given'

const round: fc.Arbitrary<Round> = fc.oneof(
  { weight: 30, arbitrary: fc.array(drawn, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.tuple(leaving, drawn, drawn) },
  { weight: 8, arbitrary: fc.constant('time passes' as const) },
  { weight: 4, arbitrary: fc.constant('times are given' as const) },
)

/** The first answer only says that it is unknown; the second, what became of it. */
const older = (hand: number): Drawn[][] => [[{ what: 'settle', hand }], [{ what: 'settle', hand }]]

/** The way to the rarest corner: sent again by a person, under a new lease when the first attempt's answer comes. */
const lateAnswer: fc.Arbitrary<Round[]> = fc
  .record({
    marks: fc.array(fc.record({ hand, truth: fc.constantFrom('accepted' as const, 'retry' as const) }), {
      minLength: 1,
    }),
    settles: fc.array(fc.record({ what: fc.constant('settle' as const), hand: fc.nat({ max: 3 }) }), { maxLength: 3 }),
    ending: fc.constantFrom<Drawn[][]>(
      [
        [{ what: 'mark', hand: 0, outcome: 'unknown', truth: 'accepted' }],
        [{ what: 'settle', hand: 0 }],
        ...older(1),
        ...older(2),
      ],
      [[{ what: 'release', hand: 0, suppressed: false }]],
      [[{ what: 'mark', hand: 0, outcome: 'accepted', truth: 'accepted' }], [{ what: 'settle', hand: 0 }]],
    ),
    beside: fc.array(drawn, { maxLength: 2 }),
  })
  .map(({ marks, settles, ending, beside }): Round[] => [
    [{ what: 'claim', worker: 'A' }],
    ...marks.slice(0, 3).map((one): Round => [{ what: 'mark', hand: one.hand, outcome: 'unknown', truth: one.truth }]),
    'time passes',
    [{ what: 'recover' }],
    Array.from({ length: PROSPECTS * STEPS }, (_, index) => ({ what: 'again', email: index })),
    [{ what: 'claim', worker: 'B' }],
    settles,
    settles,
    beside,
    ...ending,
    'time passes',
    [{ what: 'recover' }],
  ])

/** Every run ends with a stop that meets what workers are just giving back: after it, little happens any more. */
const handled: fc.Arbitrary<Drawn> = fc.oneof(
  fc.record({ what: fc.constant('settle' as const), hand }),
  fc.record({ what: fc.constant('release' as const), hand, suppressed: fc.constant(false) }),
  fc.record({ what: fc.constant('recover' as const) }),
)
const ending: fc.Arbitrary<Round[]> = fc
  .record({ claims: fc.boolean(), expired: fc.boolean(), left: leaving, first: handled, second: handled })
  .map(({ claims, expired, left, first, second }): Round[] => [
    'times are given',
    ...(claims ? [[{ what: 'claim', worker: 'A' } as const]] : []),
    ...(expired ? ['time passes' as const] : []),
    [left, first, second],
  ])

const plans = fc
  .tuple(
    fc.array(fc.oneof({ weight: 12, arbitrary: round.map((one) => [one]) }, { weight: 1, arbitrary: lateAnswer }), {
      minLength: 3,
      maxLength: 25,
      size: 'max',
    }),
    ending,
  )
  .map(([parts, last]) => [...parts.flat(), ...last])

test(
  'whatever happens at once, the queue is where one order of it would have left it',
  async () => {
    const deadline = Date.now() + RUN_MS
    let rounds = 0
    let together = 0
    const seen = new Set<string>()
    // A busy machine takes longer: fewer rounds, or a corner that chance has passed by, would say little.
    const isEnough = () =>
      Date.now() > deadline && rounds > 300 && together > 200 && CORNERS.every((corner) => seen.has(corner))
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        if (isEnough()) return
        const world = await openWorld(seen)
        for (const next of plan) {
          if (next === 'time passes') await world.passTime()
          else if (next === 'times are given') await world.giveTimes()
          else {
            rounds += 1
            together += next.length > 1 ? 1 : 0
            await world.runTogether(next)
          }
          await world.check()
        }
        await world.checkHistory()
      }),
      { numRuns: 1_000 },
    )
    expect(rounds).toBeGreaterThan(300)
    expect(together).toBeGreaterThan(200)
    for (const corner of CORNERS) expect(seen).toContain(corner)
  },
  RUN_MS * 12,
)

async function openWorld(seen: Set<string>) {
  const campaign = await makeCampaign(db.pool)
  const emails = await makeEmails(db.pool, campaign, PROSPECTS, STEPS)
  const hands: Hand[] = []
  const sentAgain = emails.map(() => 0)
  const acceptedByProvider = emails.map(() => 0)
  const wasSent = new Set<number>()
  let model = newModel(PROSPECTS, STEPS)

  return {
    async passTime() {
      await db.travel('30 minutes')
      passTime(model)
    },

    async giveTimes() {
      await db.pool.query(
        `UPDATE scheduled_emails e SET ready_at = app_now() WHERE workspace_id = $1 AND status = 'SCHEDULED'
           AND NOT EXISTS (SELECT FROM scheduled_emails b WHERE b.campaign_prospect_id = e.campaign_prospect_id
             AND b.step_number < e.step_number AND b.status <> 'SENT')`,
        [campaign.workspaceId],
      )
      giveTimes(model)
    },

    /** Each on a connection and in a transaction of its own. */
    async runTogether(draws: readonly Drawn[]) {
      const meetings = draws.flatMap((draw) => meet(draw, hands))
      const answers = await Promise.all(
        meetings.map(({ action, actor }) =>
          inTransaction(db.pool, (tx) => perform(tx, campaign, emails, action, actor)),
        ),
      )
      const now = await read(emails)
      const explained = explain(
        model,
        meetings.map(({ action }, index) => ({ action, answer: answers[index]?.answer ?? '' })),
        (candidate) => sameAs(candidate, now),
      )
      if (!explained)
        expect({ did: meetings.map(({ action }) => action), answers, now }).toEqual(
          `something that some order of it could have left, coming from ${JSON.stringify(model)}`,
        )
      else model = explained
      for (const [index, { action, draw, actor }] of meetings.entries()) {
        const answer = answers[index]
        hands.push(...(answer?.hands ?? []))
        seen.add(`${action.do}: ${answer?.answer}`)
        if (action.do === 'again' && answer?.answer.startsWith('done')) bump(sentAgain, action.email)
        if (action.do === 'settle' && actor) actor.reported = true
        if (draw.what === 'mark' && action.do === 'mark' && actor && answer?.answer === 'marked') {
          actor.marked = true
          actor.outcome = draw.outcome
          actor.truth = draw.outcome === 'unknown' ? draw.truth : draw.outcome
          if (actor.truth === 'accepted') bump(acceptedByProvider, action.email)
        }
      }
    },

    async check() {
      const now = await read(emails)
      now.forEach((row, index) => {
        const count = acceptedByProvider[index] ?? 0
        expect(count, 'accepted at most once, but for each time that a person chose to send again').toBeLessThanOrEqual(
          1 + (sentAgain[index] ?? 0),
        )
        if (row.status === 'SENT') wasSent.add(index)
        expect(wasSent.has(index), 'SENT is for ever').toBe(row.status === 'SENT')
        expect(row.status === 'SENDING', 'a lease is held exactly while sending').toBe(row.leased)
        expect(row.status).not.toBe('FAILED')
        if (model.stopped)
          expect(['SCHEDULED', 'RETRY_SCHEDULED'], 'nothing waits in a stopped campaign').not.toContain(row.status)
      })
    },

    async checkHistory() {
      for (const [index, { id }] of emails.entries()) {
        const items = await readHistory(id)
        const status = model.emails[index]?.status
        expect(
          status && canBeTold(items, status),
          `the history of an email that is ${status}: ${JSON.stringify(items)}`,
        ).toBe(true)
      }
    },
  }
}

function bump(counts: number[], index: number): void {
  counts[index] = (counts[index] ?? 0) + 1
}

type Meeting = { draw: Drawn; action: Action; actor?: Hand }

function meet(draw: Drawn, hands: readonly Hand[]): Meeting[] {
  switch (draw.what) {
    case 'mark':
    case 'settle':
    case 'release': {
      const actor = hands.at(-1 - (draw.hand % Math.max(hands.length, 1)))
      if (!actor) return []
      const held = { email: actor.email, token: actor.token }
      if (draw.what === 'mark') return [{ draw, actor, action: { do: 'mark', ...held } }]
      if (draw.what === 'release')
        return [{ draw, actor, action: { do: 'release', suppressed: draw.suppressed, ...held } }]
      // Before a mark, only a connection that failed is reported; what was unknown may be found out later.
      const outcome = !actor.marked ? 'retry' : actor.reported ? actor.truth : actor.outcome
      return [{ draw, actor, action: { do: 'settle', marked: actor.marked, outcome: outcome ?? 'unknown', ...held } }]
    }
    case 'claim':
      return [{ draw, action: { do: 'claim', worker: draw.worker } }]
    case 'recover':
    case 'stop':
      return [{ draw, action: { do: draw.what } }]
    case 'unsubscribe':
      return [{ draw, action: { do: 'unsubscribe', prospect: draw.prospect } }]
    default:
      return [{ draw, action: { do: draw.what, email: draw.email } }]
  }
}

type Answer = { answer: string; hands?: Hand[] }

async function perform(
  tx: Sql,
  { workspaceId, mailboxId, campaignId }: TestCampaign,
  emails: readonly TestEmail[],
  action: Action,
  actor: Hand | undefined,
): Promise<Answer> {
  const indexOf = (id: string) => emails.findIndex((one) => one.id === id)
  const idOf = (index: number) => emails[index]?.id ?? ''
  const byPerson = async (
    verb: (tx: Sql, workspaceId: string, ids: string[]) => Promise<PersonAnswer[]>,
    index: number,
  ) => {
    const [answered] = await verb(tx, workspaceId, [idOf(index)])
    return { answer: answered?.answer === 'done' ? `done ${answered.status}` : (answered?.answer ?? '') }
  }
  const held = () => ({
    id: idOf(actor?.email ?? -1),
    leaseToken: actor?.token ?? 0,
    worker: actor?.worker ?? '',
    claimedAt: actor?.claimedAt ?? new Date(0),
    mailboxId,
  })
  switch (action.do) {
    case 'claim': {
      const claimed = await claimDue(tx, { mailboxId, workspaceId }, 10, { worker: action.worker, leaseMs: LEASE_MS })
      const hands = claimed.map(
        (one): Hand => ({
          email: indexOf(one.id),
          token: one.leaseToken,
          worker: one.worker,
          claimedAt: one.claimedAt,
          marked: false,
          reported: false,
        }),
      )
      return { answer: listed(hands.map((one) => [one.email, `${one.token}`])), hands }
    }
    case 'mark': {
      const [answered] = await mark(tx, [held()], SUBMIT_MS)
      return { answer: answered?.answer ?? '' }
    }
    case 'settle': {
      const [answered] = await settle(tx, [
        {
          ...held(),
          ...(action.marked
            ? { marked: true, outcome: asOutcome(action.outcome) }
            : { marked: false, outcome: NO_CONNECTION }),
        },
      ])
      return { answer: [answered?.answer, answered?.status].filter(Boolean).join(' ') }
    }
    case 'release': {
      const to = action.suppressed
        ? ({ kind: 'cancelled', reason: 'SUPPRESSED' } as const)
        : ({ kind: 'as-it-was' } as const)
      const [answered] = await release(tx, [{ ...held(), code: 'out-of-time', to }])
      return { answer: answered?.answer === 'released' ? `released ${answered.status}` : 'lost-lease' }
    }
    case 'recover': {
      // Others' leases, left by earlier runs on this database, run out as well.
      const recovered = (await recover(tx, 10_000)).filter(({ id }) => indexOf(id) >= 0)
      return { answer: listed(recovered.map(({ id, status }) => [indexOf(id), status])) }
    }
    case 'stop': {
      await tx.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [campaignId])
      return { answer: `${await cancelWaiting(tx, workspaceId, { campaignId }, 'CAMPAIGN_STOPPED')}` }
    }
    case 'unsubscribe': {
      const prospectId = emails[action.prospect * STEPS]?.prospectId ?? ''
      await tx.query('UPDATE prospects SET unsubscribed_at = app_now() WHERE id = $1', [prospectId])
      return { answer: `${await cancelWaiting(tx, workspaceId, { prospectId }, 'PROSPECT_UNSUBSCRIBED')}` }
    }
    case 'retry':
      return byPerson(retryFailed, action.email)
    case 'assume':
      return byPerson(assumeDelivered, action.email)
    case 'again':
      return byPerson((...args) => sendAgain(...args, SUBMIT_MS), action.email)
    case 'dismiss':
      return byPerson(dismiss, action.email)
    case 'cancel':
      return byPerson(cancel, action.email)
    case 'restore':
      return byPerson(restore, action.email)
  }
}

function listed(entries: [number, string][]): string {
  return entries
    .toSorted(([a], [b]) => a - b)
    .map(([index, what]) => `${index}:${what}`)
    .join(' ')
}

const NO_CONNECTION: Refused = { kind: 'retry', scope: 'message', code: 'ECONNRESET', reason: 'No connection.' }

function asOutcome(outcome: Outcome): SendOutcome {
  const refusal = { scope: 'message', reason: 'The provider refused it.' } as const
  switch (outcome) {
    case 'accepted':
      return { kind: 'accepted', messageId: '<1@acme.test>' }
    case 'unknown':
      return { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer came.' }
    case 'retry':
      return { kind: outcome, code: 'TEMPORARY_FAILURE', ...refusal }
    case 'rejected':
      return { kind: outcome, code: 'MESSAGE_REFUSED', ...refusal }
  }
}

/** The model after some order of these actions in which each gave the answer that it really gave; undefined if there is none. */
function explain(
  model: Model,
  done: readonly { action: Action; answer: string }[],
  fits: (candidate: Model) => boolean,
  alone = done.length === 1,
): Model | undefined {
  if (done.length === 0) return fits(model) ? model : undefined
  for (const [index, { action, answer }] of done.entries()) {
    const others = done.toSpliced(index, 1)
    for (const next of possible(model, action, alone)) {
      if (next.answer !== answer) continue
      const found = explain(next.model, others, fits, alone)
      if (found) return found
    }
  }
  return undefined
}

type Row = {
  status: ScheduledEmailStatus
  token: number
  marked: number | null
  accepted: number | null
  attempts: number
  cancelReason: string | null
  dismissed: boolean
  leased: boolean
  ended: Record<number, { outcome: AttemptOutcome; evidence: AttemptOutcome | null }>
}

async function read(emails: readonly TestEmail[]): Promise<Row[]> {
  const { rows } = await db.pool.query<Row>(
    `SELECT e.status, e.lease_token AS token, e.marked_token AS marked, e.accepted_token AS accepted, e.attempts,
       e.cancel_reason AS "cancelReason", e.dismissed_at IS NOT NULL AS dismissed, e.lease_until IS NOT NULL AS leased,
       coalesce((SELECT json_object_agg(a.lease_token, json_build_object('outcome', a.outcome, 'evidence', a.evidence))
         FROM email_attempts a WHERE a.email_id = e.id), '{}') AS ended
     FROM unnest($1::uuid[]) WITH ORDINALITY AS wanted(id, place) JOIN scheduled_emails e USING (id) ORDER BY place`,
    [emails.map(({ id }) => id)],
  )
  return rows
}

function sameAs(model: Model, rows: readonly Row[]): boolean {
  return rows.every((row, index) => {
    const expected = model.emails[index]
    return (
      expected !== undefined &&
      expected.status === row.status &&
      expected.token === row.token &&
      expected.marked === row.marked &&
      expected.accepted === row.accepted &&
      expected.attempts === row.attempts &&
      expected.cancelReason === row.cancelReason &&
      expected.dismissed === row.dismissed &&
      sameEnds(expected.ended, row.ended)
    )
  })
}

function sameEnds(expected: Row['ended'], actual: Row['ended']): boolean {
  const tokens = new Set([...Object.keys(expected), ...Object.keys(actual)].map(Number))
  return [...tokens].every(
    (token) =>
      expected[token]?.outcome === actual[token]?.outcome && expected[token]?.evidence === actual[token]?.evidence,
  )
}

async function readHistory(id: string): Promise<HistoryItem[]> {
  const attempts = await db.pool.query<HistoryItem>(
    `SELECT 'attempt' AS kind, outcome FROM email_attempts WHERE email_id = $1 ORDER BY lease_token`,
    [id],
  )
  const events = await db.pool.query<HistoryItem>(
    `SELECT 'event' AS kind, from_status AS "from", to_status AS "to" FROM email_events WHERE email_id = $1 ORDER BY id`,
    [id],
  )
  return [...attempts.rows, ...events.rows]
}
