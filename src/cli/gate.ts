import { ensureClientTypes } from './home/client-types.ts'
import { ensurePrismaClient } from './home/prepare.ts'
import { runCommand } from './problem.ts'
import { runAsCheck } from './test/check.ts'
import { describeFailures, sum } from './test/count.ts'
import { stopOnInterrupt } from './test/interrupt.ts'
import { runVitest } from './test/vitest.ts'

/** What a commit must pass before it lands on main; the hooks in .ci/hooks call it. As fast as can be: a second of lint first, the rest at once. */
await runCommand(async () => {
  stopOnInterrupt(async () => undefined)
  await ensurePrismaClient()
  await ensureClientTypes()
  const lint = await runAsCheck('lint', 'biome', ['ci', '--error-on-warnings', '.'])
  const rest =
    lint.failures.length > 0
      ? []
      : await Promise.all([
          runAsCheck('types', 'tsc', ['--noEmit']),
          runAsCheck('unused', 'knip', []),
          runVitest(['gate']),
        ])
  const { failures } = sum([lint, ...rest])
  describeFailures(failures)
  if (failures.length > 0) process.exitCode = 1
})
