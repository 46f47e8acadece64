import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTestServer } from '#tests/support/server/test-server.ts'
import { ensureBuild } from './home/prepare.ts'
import { Problem, runCommand } from './problem.ts'
import { describeFailures } from './test/count.ts'
import { stopOnInterrupt } from './test/interrupt.ts'
import { runVitest } from './test/vitest.ts'

const SECONDS_DEFAULT = 600

/** `npm run test:fuzz`: ten minutes of requests that nobody thought of; `-- 60` for a minute, `-- 60 SEED` for those of a run before. */
await runCommand(async () => {
  const [seconds = String(SECONDS_DEFAULT), seed] = process.argv.slice(2)
  if (!/^[1-9]\d{0,5}$/.test(seconds) || (seed !== undefined && !/^\d{1,9}$/.test(seed)))
    throw new Problem('Say for how many seconds, and with which seed if any: npm run test:fuzz -- 600 12345')
  await ensureBuild(() => process.stdout.write('build: making the pages\n'))
  const folder = await mkdtemp(join(tmpdir(), 'sendonce-fuzz-'))
  const server = await openTestServer()
  const close = async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  stopOnInterrupt(close)
  try {
    const file = join(folder, 'report')
    const env = { FUZZ_SECONDS: seconds, FUZZ_REPORT: file, ...(seed && { FUZZ_SEED: seed }) }
    const { passed, failures } = await runVitest(['journeys'], server.url, { files: ['journeys/fuzz'], env })
    process.stdout.write(`\n${await readFile(file, 'utf8').catch(() => 'It did not come to its end.\n')}`)
    describeFailures(failures)
    process.stdout.write(`${passed} passed, ${failures.length} failed\n`)
    if (failures.length > 0 || passed === 0) process.exitCode = 1
  } finally {
    await close()
  }
})
