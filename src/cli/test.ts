import { openTestServer } from '#tests/support/test-server.ts'
import { ensureBuild, ensurePrismaClient } from './home/prepare.ts'
import { Problem, runCommand } from './problem.ts'
import { runAsCheck } from './test/check.ts'
import { type Count, describeSkips, sum } from './test/count.ts'
import { stopOnInterrupt } from './test/interrupt.ts'
import { PARTS, type Part } from './test/parts.ts'
import { runVitest } from './test/vitest.ts'

/** `npm test` runs all parts; `npm test -- unit journeys` only those. */
await runCommand(async () => {
  const parts = chooseParts(process.argv.slice(2))
  const started = performance.now()
  await ensurePrismaClient()
  const counts = await runParts(parts)
  const total = sum(counts)
  describeSkips(total.skips)
  const skipped = total.skips.length > 0 ? `, ${total.skips.length} skipped` : ''
  process.stdout.write(`\nTook ${Math.round((performance.now() - started) / 1000)} s.\n`)
  process.stdout.write(`${total.passed} passed, ${total.failed} failed${skipped}\n`)
  if (total.failed > 0 || total.passed === 0) process.exitCode = 1
})

function chooseParts(names: string[]): Part[] {
  const unknown = names.filter((name) => !PARTS.some((part) => part === name))
  if (unknown.length > 0) throw new Problem(`There is no part "${unknown[0]}". The parts are: ${PARTS.join(', ')}.`)
  return names.length === 0 ? [...PARTS] : PARTS.filter((part) => names.includes(part))
}

async function runParts(parts: Part[]): Promise<Count[]> {
  const counts: Count[] = []
  if (parts.includes('types')) counts.push(await runAsCheck('types', 'tsc', ['--noEmit']))
  if (parts.includes('lint')) counts.push(await runAsCheck('lint', 'biome', ['ci', '--error-on-warnings', '.']))
  if (parts.includes('unused')) counts.push(await runAsCheck('unused', 'knip', []))
  const needsServer = parts.some((part) => part === 'integration' || part === 'faults' || part === 'journeys')
  const server = needsServer ? await openTestServer() : undefined
  stopOnInterrupt(async () => server?.stop())
  try {
    const fast = parts.filter((part) => part === 'unit' || part === 'architecture' || part === 'integration')
    // The start is tested in its own right, and the journeys need the pages: so the build comes before both.
    const needsPages = parts.some((part) => part === 'integration' || part === 'journeys')
    if (needsPages) await ensureBuild(() => process.stdout.write('build: making the pages\n'))
    if (fast.length > 0) counts.push(await runVitest(fast, server?.url))
    if (parts.includes('faults')) counts.push(await runVitest(['faults'], server?.url))
    if (parts.includes('journeys')) counts.push(await runVitest(['journeys'], server?.url))
  } finally {
    await server?.stop()
  }
  return counts
}
