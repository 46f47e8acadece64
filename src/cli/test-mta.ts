import { missingForPostfix } from '#tests/support/mail/postfix.ts'
import { openTestServer } from '#tests/support/server/test-server.ts'
import { ensurePrismaClient } from './home/prepare.ts'
import { Problem, runCommand } from './problem.ts'
import { describeFailures } from './test/count.ts'
import { stopOnInterrupt } from './test/interrupt.ts'
import { runVitest } from './test/vitest.ts'

/** `npm run test:mta`: 500 recipients × 2 steps through a real Postfix, which a bare machine does not have; so it is no part of `npm test`. */
await runCommand(async () => {
  const missing = missingForPostfix()
  if (missing) throw new Problem(missing)
  await ensurePrismaClient()
  const server = await openTestServer()
  stopOnInterrupt(() => server.stop())
  try {
    const { passed, failures } = await runVitest(['mta'], server.url)
    describeFailures(failures)
    process.stdout.write(`${passed} passed, ${failures.length} failed\n`)
    if (failures.length > 0 || passed === 0) process.exitCode = 1
  } finally {
    await server.stop()
  }
})
