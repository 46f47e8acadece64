import { setTimeout as sleep } from 'node:timers/promises'
import { askForRemoval, readDemo, removeDemo } from './demo/home.ts'
import { openHomeDatabase } from './home/database.ts'
import { Problem, runCommand } from './problem.ts'

const USAGE = `npm run demo -- remove      removes the demo workspace with all that is in it: its database, its mails, its login
npm start -- --demo         makes it, where the first start did not
npm start -- --no-demo      starts without it`

const say = (line: string) => process.stdout.write(`${line}\n`)
const WAIT_MS_MAX = 30_000

await runCommand(async () => {
  const [what, ...rest] = process.argv.slice(2)
  if (what !== 'remove' || rest.length > 0) throw new Problem(USAGE)
  const demo = await readDemo()
  if (!demo) throw new Problem('There is no demo here.')
  const database = await openHomeDatabase()
  try {
    if (await isServed(demo.url)) await byThoseWhoServe()
    else await removeDemo(database.url)
  } finally {
    await database.close()
  }
  say('The demo was removed, with all that was in it.')
})

/** A start that runs ends the demo's servers itself, and drops the database after them. */
async function isServed(url: string): Promise<boolean> {
  return (
    url !== '' &&
    (await fetch(`${url}/api/health`).then(
      () => true,
      () => false,
    ))
  )
}

async function byThoseWhoServe(): Promise<void> {
  await askForRemoval()
  for (let waitedMs = 0; waitedMs < WAIT_MS_MAX; waitedMs += 200) {
    if (!(await readDemo())) return
    await sleep(200)
  }
  throw new Problem('Sendonce runs, and has not removed it within 30 seconds. Stop it, and try again.')
}
