import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { LongestFirst } from './src/cli/test/longest-first.ts'

const testServer = './src/__tests__/support/server/test-server.ts'
const freshStart = './src/__tests__/support/fresh-start.ts'
const builtPages = './src/__tests__/support/browser/built-pages.ts'

// Each waits for Postgres, a server or a browser half its time: one more than there are cores keeps those busy. Of many
// cores not all are taken: the connections of one Postgres are shared by everyone.
const maxWorkers = Math.min(availableParallelism() + 1, 8)

/** Everything that reckons with wall clocks runs on hosts in three zones: their own must not matter. */
const time = 'src/__tests__/unit/{guardrails,email-scheduler}/**/*.test.ts'

/** The kinds of test, as `npm test` runs them; `npm test -- unit integration` runs only those. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      kind('unit', { include: ['src/__tests__/unit/**/*.test.ts'], exclude: [time] }),
      kind('time-utc', { include: [time], env: { TZ: 'UTC' } }),
      kind('time-berlin', { include: [time], env: { TZ: 'Europe/Berlin' } }),
      kind('time-st-johns', { include: [time], env: { TZ: 'America/St_Johns' } }),
      kind('components', {
        include: ['src/__tests__/components/**/*.test.tsx'],
        environment: 'happy-dom',
        setupFiles: [freshStart, './src/__tests__/support/browser/empty-document.ts'],
      }),
      kind('architecture', { include: ['src/__tests__/architecture/**/*.test.ts'] }),
      kind('integration', {
        include: ['src/__tests__/integration/**/*.test.ts'],
        globalSetup: testServer,
      }),
      kind('faults', {
        include: ['src/__tests__/faults/**/*.test.ts'],
        globalSetup: testServer,
        testTimeout: 1_800_000,
        // What a failed one has left running ends with its process (see the decisions on faults).
        isolate: true,
        // Mostly they wait, for leases that run out and servers that come back; but each has processes of its own.
        maxWorkers: 2,
      }),
      // Needs a PgBouncer on the machine: only by `npm run test:pooler`.
      kind('pooler', {
        include: ['src/__tests__/pooler/**/*.test.ts'],
        globalSetup: testServer,
        testTimeout: 600_000,
      }),
      // Needs a Postfix on the machine: only by `npm run test:mta`.
      kind('mta', {
        include: ['src/__tests__/mta/**/*.test.ts'],
        globalSetup: testServer,
      }),
      kind('journeys', {
        include: ['src/__tests__/journeys/**/*.test.ts'],
        globalSetup: [builtPages, testServer],
      }),
    ],
  },
})

function kind(
  name: string,
  test: NonNullable<Extract<TestProjectConfiguration, { test?: unknown }>['test']>,
): TestProjectConfiguration {
  // No test asserts how long something takes; on a machine with ten times the work that it can do, the first import of a
  // large part alone takes a minute.
  const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } }
  // Files of a kind share processes, and `freshStart` keeps them apart: each in one of its own spent a third of its time
  // on loading libraries.
  const shared = { isolate: false, setupFiles: freshStart }
  return { test: { name, environment: 'node', ...patience, ...shared, maxWorkers, ...test } }
}
