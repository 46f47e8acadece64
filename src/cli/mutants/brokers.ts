import { integration, type Mutant, unit } from './mutant.ts'

const TAKE_OVER = 'src/lib/email-scheduler/by-broker/take-over.ts'
const TAKEN = 'dispatch/take-over'
const A_CLAIM = 'a claim that comes through a broker is taken over'

/** Between publishing and the settlement: what a broker may do wrong without harm. */
export const BROKERS: readonly Mutant[] = [
  {
    name: 'broker: what is taken over may have another token',
    file: TAKE_OVER,
    find: 'ON e.id = w.id AND e.lease_token = w.lease_token',
    becomes: 'ON e.id = w.id',
    test: integration(TAKEN, `${A_CLAIM} by its token only`),
  },
  {
    name: 'broker: what somebody has taken over may be taken from him',
    file: TAKE_OVER,
    find: `AND (w.from_anyone OR e.leased_by LIKE '\${BROKER}%')`,
    becomes: 'AND w.from_anyone IS NOT NULL',
    test: integration(
      TAKEN,
      `${A_CLAIM} from its holder only where the broker says that it was lost, and the holder marks it no more`,
    ),
  },
  {
    name: 'broker: what is marked may be taken over',
    file: TAKE_OVER,
    find: 'AND e.marked_token IS DISTINCT FROM e.lease_token AND e.lease_until > app_now()',
    becomes: 'AND e.lease_until > app_now()',
    test: integration(TAKEN, `${A_CLAIM} not once it is marked, whoever says that its holder was lost`),
  },
  {
    name: 'broker: a message is acknowledged before its settlement',
    file: 'src/lib/dispatch/consumer.ts',
    find: '        started.push({ ...one, arrived })',
    becomes: '        arrived.done()\n        started.push({ ...one, arrived })',
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
]
