import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTestServer } from '#tests/support/server/test-server.ts'
import { ensurePrismaClient } from './home/prepare.ts'
import { Problem, runCommand } from './problem.ts'
import { describeFailures } from './test/count.ts'
import { describeFigures, readFigures, sumFigures } from './test/figures.ts'
import { stopOnInterrupt } from './test/interrupt.ts'
import { runVitest } from './test/vitest.ts'

/** `npm run test:faults`: every fault in its full form; `npm run test:faults -- kill clock` only those. All take about a quarter of an hour. */
await runCommand(async () => {
  const started = performance.now()
  await ensurePrismaClient()
  const folder = await mkdtemp(join(tmpdir(), 'sendonce-faults-'))
  const server = await openTestServer()
  const close = async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  stopOnInterrupt(close)
  try {
    const file = join(folder, 'figures')
    const files = process.argv.slice(2).map((name) => `faults/${name}`)
    const count = await runVitest(['faults'], server.url, { files, env: { FAULTS: 'full', FAULTS_REPORT: file } })
    const scenarios = readFigures(await readFile(file, 'utf8').catch(() => ''))
    if (scenarios.length === 0) throw new Problem('No scenario said what it counted.')
    process.stdout.write('\n')
    for (const scenario of scenarios) process.stdout.write(`${scenario.scenario}: ${describeFigures(scenario)}\n`)
    const { passed, failures } = count
    describeFailures(failures)
    process.stdout.write(
      `\nTook ${Math.round((performance.now() - started) / 1000)} s: ${passed} passed, ${failures.length} failed.\n`,
    )
    process.stdout.write(`${describeFigures(sumFigures(scenarios))}\n`)
    if (failures.length > 0 || scenarios.some(({ wrong }) => wrong.length > 0)) process.exitCode = 1
  } finally {
    await close()
  }
})
