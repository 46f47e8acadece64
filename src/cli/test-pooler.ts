import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missingForPgBouncer, PgBouncer, pgBouncerVersion } from '#tests/support/faults/pgbouncer.ts'
import { openTestServer } from '#tests/support/server/test-server.ts'
import { ensurePrismaClient } from './home/prepare.ts'
import { Problem, runCommand } from './problem.ts'
import { describeFailures, sum } from './test/count.ts'
import { describeFigures, readFigures } from './test/figures.ts'
import { stopOnInterrupt } from './test/interrupt.ts'
import { runVitest } from './test/vitest.ts'

/** `npm run test:pooler`: workers that are killed and stopped, and servers that restart, through a real PgBouncer in transaction mode, which a bare machine does not have; so it is no part of `npm test`. */
await runCommand(async () => {
  const missing = missingForPgBouncer()
  if (missing) throw new Problem(missing)
  await ensurePrismaClient()
  const folder = await mkdtemp(join(tmpdir(), 'sendonce-pooler-'))
  const server = await openTestServer()
  const bouncer = await PgBouncer.start(server.url)
  const close = async () => {
    await bouncer.stop()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  stopOnInterrupt(close)
  try {
    const file = join(folder, 'figures')
    const env = { FAULTS_REPORT: file, POOLER_PORT: String(bouncer.port), POOLER_BEFORE: new URL(server.url).host }
    const { passed, failures } = sum([
      await runVitest(['pooler'], server.url, { env }),
      await runVitest(['faults'], server.url, { files: ['faults/kill', 'faults/stop', 'faults/answered'], env }),
    ])
    process.stdout.write(`\nThrough PgBouncer ${pgBouncerVersion()}:\n`)
    const scenarios = readFigures(await readFile(file, 'utf8').catch(() => ''))
    for (const scenario of scenarios) process.stdout.write(`${scenario.scenario}: ${describeFigures(scenario)}\n`)
    describeFailures(failures)
    process.stdout.write(`${passed} passed, ${failures.length} failed\n`)
    if (failures.length > 0 || scenarios.some(({ wrong }) => wrong.length > 0)) process.exitCode = 1
  } finally {
    await close()
  }
})
