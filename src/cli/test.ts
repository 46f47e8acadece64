import { openTestServer, type TestServer } from '#tests/support/server/test-server.ts'
import { ensureClientTypes } from './home/client-types.ts'
import { ensureBuild, ensurePrismaClient } from './home/prepare.ts'
import { Problem, runCommand } from './problem.ts'
import { runAsCheck } from './test/check.ts'
import { type Count, describeFailures, describeSkips, sum } from './test/count.ts'
import { stopOnInterrupt } from './test/interrupt.ts'
import { PARTS, type Part } from './test/parts.ts'
import { endVitest, runVitest } from './test/vitest.ts'

/** `npm test` runs all parts; `npm test -- unit journeys` only those. */
await runCommand(async () => {
  const parts = chooseParts(process.argv.slice(2))
  const started = performance.now()
  await ensurePrismaClient()
  await ensureClientTypes()
  const counts = await runParts(parts)
  const total = sum(counts)
  describeSkips(total.skips)
  describeFailures(total.failures)
  const skipped = total.skips.length > 0 ? `, ${total.skips.length} skipped` : ''
  process.stdout.write(`\nTook ${Math.round((performance.now() - started) / 1000)} s.\n`)
  process.stdout.write(`${total.passed} passed, ${total.failures.length} failed${skipped}\n`)
  if (total.failures.length > 0 || total.passed === 0) process.exitCode = 1
})

function chooseParts(names: string[]): Part[] {
  const unknown = names.filter((name) => !PARTS.some((part) => part === name))
  if (unknown.length > 0) throw new Problem(`There is no part "${unknown[0]}". The parts are: ${PARTS.join(', ')}.`)
  return names.length === 0 ? [...PARTS] : PARTS.filter((part) => names.includes(part))
}

async function runParts(parts: Part[]): Promise<Count[]> {
  const has = (...names: Part[]) => parts.some((part) => names.includes(part))
  // The start is tested in its own right, and the journeys need the pages. They are made beside the quick checks.
  const pages = has('integration', 'journeys') ? ensureBuild(() => say('build: making the pages')) : undefined
  pages?.catch(() => undefined) // told where it is awaited
  const checks: Count[] = []
  if (has('types')) checks.push(await runAsCheck('types', 'tsc', ['--noEmit']))
  if (has('lint')) checks.push(await runAsCheck('lint', 'biome', ['ci', '--error-on-warnings', '.']))
  if (has('unused')) checks.push(await runAsCheck('unused', 'knip', []))
  const servers: TestServer[] = []
  const stop = async () => {
    await endVitest()
    await Promise.all(servers.map((server) => server.stop()))
  }
  stopOnInterrupt(stop)
  try {
    await pages
    const rest = parts.filter((part) => part === 'unit' || part === 'architecture' || part === 'integration')
    // Faults mostly wait, for leases that run out and servers that come back; the rest mostly computes.
    const beside = has('faults') && (rest.length > 0 || has('journeys'))
    if (has('integration', 'journeys', 'faults')) servers.push(await openTestServer())
    if (beside) servers.push(await openTestServer())
    const runRest = async () => [
      ...(rest.length > 0 ? [await runVitest(rest, servers[0]?.url)] : []),
      ...(has('journeys') ? [await runVitest(['journeys'], servers[0]?.url)] : []),
    ]
    const runFaults = async () => (has('faults') ? [await runVitest(['faults'], servers.at(-1)?.url, { beside })] : [])
    const counts = await Promise.all([runRest(), runFaults()])
    return [...checks, ...counts.flat()]
  } finally {
    await stop()
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
