import { defineConfig, type TestProjectConfiguration } from 'vitest/config'

const testServer = './src/__tests__/support/test-server.ts'
const builtPages = './src/__tests__/support/built-pages.ts'

/** Everything that reckons with wall clocks runs on hosts in three zones: their own must not matter. */
const time = 'src/__tests__/unit/{guardrails,email-scheduler}/**/*.test.ts'

/** The kinds of test, as `npm test` runs them; `npm test -- unit integration` runs only those. */
export default defineConfig({
  test: {
    projects: [
      kind('unit', { include: ['src/__tests__/unit/**/*.test.ts'], exclude: [time] }),
      kind('time-utc', { include: [time], env: { TZ: 'UTC' } }),
      kind('time-berlin', { include: [time], env: { TZ: 'Europe/Berlin' } }),
      kind('time-st-johns', { include: [time], env: { TZ: 'America/St_Johns' } }),
      kind('architecture', { include: ['src/__tests__/architecture/**/*.test.ts'] }),
      kind('integration', {
        include: ['src/__tests__/integration/**/*.test.ts'],
        globalSetup: testServer,
        testTimeout: 60_000,
        hookTimeout: 60_000,
      }),
      kind('faults', {
        include: ['src/__tests__/faults/**/*.test.ts'],
        globalSetup: testServer,
        testTimeout: 1_800_000,
        hookTimeout: 60_000,
        // Each has workers and providers of its own; more at once only wait for each other.
        maxWorkers: 1,
      }),
      // Needs a Postfix on the machine: only by `npm run test:mta`.
      kind('mta', {
        include: ['src/__tests__/mta/**/*.test.ts'],
        globalSetup: testServer,
        testTimeout: 120_000,
        hookTimeout: 60_000,
      }),
      kind('journeys', {
        include: ['src/__tests__/journeys/**/*.test.ts'],
        globalSetup: [builtPages, testServer],
        testTimeout: 120_000,
        hookTimeout: 120_000,
        // Each has a server and a browser of its own; more than two at once only wait for each other.
        maxWorkers: 2,
      }),
    ],
  },
})

function kind(
  name: string,
  test: NonNullable<Extract<TestProjectConfiguration, { test?: unknown }>['test']>,
): TestProjectConfiguration {
  return { test: { name, environment: 'node', ...test } }
}
