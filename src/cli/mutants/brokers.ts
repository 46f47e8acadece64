import { integration, type Mutant, unit } from './mutant.ts'

const TAKE_OVER = 'src/lib/email-scheduler/by-broker/take-over.ts'
const TAKEN = 'dispatch/take-over'
const A_CLAIM = 'a claim that comes through a broker is taken over'
const TAKE_OVER_ACTIONS = 'src/lib/actions/by-broker/take-over.ts'
const ACTOR = 'src/lib/worker/act-by-broker.ts'
const TAKEN_ACTIONS = 'dispatch/take-over-actions'
const AN_ACTION = 'an action that comes through a broker is taken over'
const ITS_MESSAGE = 'a message of an action'
const MIRROR = 'actions/seed-004-mirror'

/** Between publishing and the settlement: what a broker may do wrong without harm. */
export const BROKERS: readonly Mutant[] = [
  {
    name: 'broker: what is taken over may have another token',
    file: TAKE_OVER,
    find: 'ON r.id = w.id AND r.lease_token = w.lease_token',
    becomes: 'ON r.id = w.id',
    test: integration(TAKEN, `${A_CLAIM} by its token only`),
  },
  {
    name: 'broker: what somebody has taken over may be taken from him',
    file: TAKE_OVER,
    find: `AND (w.from_anyone OR r.leased_by LIKE '\${BROKER}%')`,
    becomes: 'AND w.from_anyone IS NOT NULL',
    test: integration(
      TAKEN,
      `${A_CLAIM} from its holder only where the broker says that it was lost, and the holder marks it no more`,
    ),
  },
  {
    name: 'broker: what is marked may be taken over',
    file: TAKE_OVER,
    find: 'AND r.marked_token IS DISTINCT FROM r.lease_token AND r.lease_until > app_now()',
    becomes: 'AND r.lease_until > app_now()',
    test: integration(TAKEN, `${A_CLAIM} not once it is marked, whoever says that its holder was lost`),
  },
  {
    name: 'broker: a message is acknowledged before its settlement',
    file: 'src/lib/dispatch/consumer.ts',
    find: '        started.push({ taken: one, arrived })',
    becomes: '        arrived.done()\n        started.push({ taken: one, arrived })',
    test: integration(TAKEN, 'a message is acknowledged after its settlement has committed, and not before'),
  },
  {
    name: 'broker: a draft of who had the email before proves of another’s hand-over that it was not sent',
    file: 'src/lib/email-scheduler/send/provider-drafts.ts',
    find: ' AND d.made_at >= a.started_at',
    becomes: '',
    test: integration(
      'worker/evidence',
      'a draft of who had the email before proves nothing of what was handed over without one',
    ),
  },
  {
    name: 'broker: what it did not take stays claimed',
    file: 'src/lib/dispatch/publish-claimed.ts',
    find: '      refused.map((email) => ({ email })),',
    becomes: '      refused.slice(refused.length).map((email) => ({ email })),',
    test: integration(
      'dispatch/seed-002',
      'reliability and observability publish failures lose no retry: it keeps its state, its count and its time',
    ),
  },
  {
    name: 'broker: all messages have one id',
    file: 'src/lib/dispatch/message.ts',
    find: '.slice(0, 32)',
    becomes: '.slice(0, 0)',
    test: unit(
      'dispatch/message',
      'its id is the same for the same claim, another for every other, and one that BullMQ takes',
    ),
  },
  {
    name: 'broker: an action may be taken over by another token',
    file: TAKE_OVER_ACTIONS,
    find: 'ON r.id = w.id AND r.lease_token = w.lease_token',
    becomes: 'ON r.id = w.id',
    test: integration(TAKEN_ACTIONS, `${AN_ACTION} by its token only`),
  },
  {
    name: 'broker: an action that somebody has taken over may be taken from him',
    file: TAKE_OVER_ACTIONS,
    find: 'AND (w.from_anyone OR r.leased_by LIKE',
    becomes: 'AND (w.from_anyone IS NOT NULL OR r.leased_by LIKE',
    test: integration(TAKEN_ACTIONS, `${AN_ACTION} from its holder only where the broker says that it was lost`),
  },
  {
    name: 'broker: an action is taken over after its lease',
    file: TAKE_OVER_ACTIONS,
    find: ' AND r.lease_until > app_now()',
    becomes: '',
    test: integration(TAKEN_ACTIONS, `${AN_ACTION} not after its lease, which recovery ends`),
  },
  {
    name: 'broker: what another transaction has in hand counts as dealt with',
    file: 'src/lib/platform/rows/for-broker.ts',
    find: "return mayBeTaken ? 'passed-over' : 'over'",
    becomes: "return mayBeTaken ? 'over' : 'over'",
    test: integration(
      TAKEN_ACTIONS,
      'a message whose action another transaction looks at in that moment is taken over as soon as that is over, and not when the lease is; the others of its batch wait for nobody',
    ),
  },
  {
    name: 'broker: the message of an action is acknowledged before its commit',
    file: ACTOR,
    find: '        this.#carriedOut = bothOf(',
    becomes: '        for (const { id } of batch) arrivedOf.get(id)?.done()\n        this.#carriedOut = bothOf(',
    test: integration(
      TAKEN_ACTIONS,
      `${ITS_MESSAGE} is acknowledged after the commit of what it names, and not before`,
    ),
  },
  {
    name: 'broker: an action that it did not take stays claimed',
    file: 'src/lib/dispatch/publish-actions.ts',
    find: 'giveBackActions(pool, refused, ',
    becomes: 'giveBackActions(pool, refused.slice(refused.length), ',
    test: integration(
      TAKEN_ACTIONS,
      `${ITS_MESSAGE} that the broker does not take leaves its action as it was, and a pause grows from time to time`,
    ),
  },
  {
    name: 'broker: actions are claimed while it is away',
    file: ACTOR,
    find: '    while (broker.isUp && !this.#isStopped',
    becomes: '    while (!this.#isStopped',
    test: integration(
      TAKEN_ACTIONS,
      `${ITS_MESSAGE} is not made while the broker is away: nothing is claimed, and nothing is kept`,
    ),
  },
  {
    name: 'broker: an action that it has lost is charged an attempt',
    file: 'src/lib/actions/take-back.ts',
    find: 'SET attempts = a.attempts + lost.begun::int',
    becomes: 'SET attempts = a.attempts + 1',
    test: integration(
      MIRROR,
      'seed 004, its mirror “missed”: what no worker lives to publish again is found by its lease, uncharged, counted and logged',
    ),
  },
  {
    name: 'broker: a worker that starts fills it with nothing',
    file: 'src/lib/dispatch/publish-actions.ts',
    find: 'await readUntaken(pool, after, REPUBLISHED_AT_ONCE)',
    becomes: '(await readUntaken(pool, after, REPUBLISHED_AT_ONCE)).slice(REPUBLISHED_AT_ONCE)',
    test: integration(
      MIRROR,
      'seed 004, its mirror “Rebuild sweep on startup enqueues missed or unqueued pending actions”, “safe to re-run”, “Log counts”',
    ),
  },
]
