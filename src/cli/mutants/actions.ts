import { integration, MIGRATION, type Mutant } from './mutant.ts'

const WAITS = 'src/lib/campaigns/journeys/waits.ts'
const WRONG = 'actions/what-others-got-wrong'
const SEED = 'actions/seed-004'
const HERE = 'what others got wrong does not happen here'

/** What is set for a time, and people at branches. */
export const ACTIONS: readonly Mutant[] = [
  {
    name: 'an action is claimed without a lock',
    file: 'src/lib/actions/claim.ts',
    find: ' FOR UPDATE SKIP LOCKED) d',
    becomes: ') d',
    test: integration(
      SEED,
      'seed 004, its acceptance criteria “Atomic claim/complete/cancel semantics; retries are safe”: of eight who claim together, one has it',
    ),
  },
  {
    name: 'an event after the deadline wins',
    file: WAITS,
    find: 'w.anchored_at AND e.occurred_at <= ',
    becomes: "w.anchored_at AND e.occurred_at - interval '1 hour' <= ",
    test: integration(
      WRONG,
      `${HERE} an event a millisecond after the deadline loses, though it is told before the time-out is taken`,
    ),
  },
  {
    name: 'a wait does not look back to its email alone',
    file: WAITS,
    find: '    AND e.occurred_at >= w.anchored_at AND ',
    becomes: '    AND ',
    test: integration(
      WRONG,
      `${HERE} an old event consumed again (workflow-core 297): what happened before that hand-over does not count`,
    ),
  },
  {
    name: 'an exit leaves waits behind',
    file: 'src/lib/email-scheduler/effects/cancel-waiting.ts',
    find: "  if (!('campaignId' in owner) && isLeaving(reason)) await leaveJourneys(tx, owner, reason)\n",
    becomes: '',
    and: [
      {
        file: 'src/lib/email-scheduler/effects/cancel-waiting.ts',
        find: "import { leaveJourneys } from '#lib/campaigns/journeys/leave.ts'\n",
        becomes: '',
      },
    ],
    test: integration(
      WRONG,
      `${HERE} an exit (REPLIED) cancels waits in its own commit, and nothing follows when their time comes`,
    ),
  },
  {
    name: 'a pause does not hold the clock',
    file: 'src/lib/actions/run/journey-actions.ts',
    find: "  if (clockHeldSince) return { kind: 'held' }\n",
    becomes: '',
    // Else a time-out would be put off by what the pause has lasted, again and again; and the wait knows its own deadline.
    and: [
      {
        file: 'src/lib/actions/run/journey-actions.ts',
        find: 'const owedMs = heldMs - action.heldMsBefore',
        becomes: 'const owedMs = Math.min(0, heldMs)',
      },
      {
        file: 'src/lib/campaigns/journeys/leave.ts',
        find: `(\${heldMs(campaign)} - \${wait}.held_ms_before) / 1000.0`,
        becomes: `0 * (\${heldMs(campaign)} - \${wait}.held_ms_before)`,
      },
    ],
    test: integration(
      SEED,
      'pausing holds the clock, where nothing else was chosen: what was left of a wait is left after it',
    ),
  },
  {
    name: 'a wait is decided twice',
    file: MIGRATION,
    find: '',
    becomes: 'DROP TRIGGER "journey_waits_once" ON "journey_waits";\n',
    test: integration(
      WRONG,
      `${HERE} a key of a node is never reused: Postgres refuses a second wait of the same round, and a second open one`,
    ),
  },
  {
    name: 'campaigns: an end that has come is set again with every change',
    file: 'src/lib/campaigns/times.ts',
    find: " OR due_at >= $3 AND status = 'COMPLETED')",
    becomes: ')',
    test: integration(
      'campaigns/ends',
      'a campaign that was sent by its end, and that a person set going again after it goes on when it is paused, resumed or renamed: that end is done',
    ),
  },
]
