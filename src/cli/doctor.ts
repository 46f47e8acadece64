import { parseArgs } from 'node:util'
import { createPool } from '#lib/platform/database.ts'
import { checkMigrations } from '#lib/platform/health.ts'
import { afterRestore } from './doctor/after-restore.ts'
import { tellFindings } from './doctor/findings.ts'
import { holdByHand } from './doctor/hold-by-hand.ts'
import { openHomeDatabase } from './home/database.ts'
import { Problem, runCommand } from './problem.ts'

const USAGE = `npm run doctor                                 looks for anything that must not be; changes nothing
npm run doctor -- --after-restore              shows whether sending is held, and what may have been sent and forgotten
npm run doctor -- --after-restore --lift       lets sending go on (asks first; --yes answers for you)
npm run doctor -- --hold                       holds sending, after a restore that Postgres cannot tell from before`

const say = (line: string) => process.stdout.write(`${line}\n`)

await runCommand(async () => {
  const { afterRestore: isAfterRestore, lift, yes, hold } = readFlags()
  const database = await openHomeDatabase()
  // It looks at everything, which may take long.
  const pool = createPool(database.url, 2, { silenceMsMax: 0 })
  try {
    const migrations = await checkMigrations(pool)
    if (!migrations.ok) throw new Problem(migrations.sentence)
    if (hold) await holdByHand(pool, say)
    else if (isAfterRestore) await afterRestore(pool, say, { lift, yes })
    else if ((await tellFindings(pool, say)) > 0) process.exitCode = 1
  } finally {
    await pool.end()
    await database.close()
  }
})

function readFlags() {
  try {
    const flag = { type: 'boolean', default: false } as const
    const { values } = parseArgs({ options: { 'after-restore': flag, lift: flag, yes: flag, hold: flag } })
    const flags = { ...values, afterRestore: values['after-restore'] }
    if ((flags.lift && !flags.afterRestore) || (flags.hold && flags.afterRestore)) throw new Problem(USAGE)
    return flags
  } catch {
    throw new Problem(USAGE)
  }
}
