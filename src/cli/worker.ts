import { Problem, runCommand } from './problem.ts'
import { work } from './worker/work.ts'

/** `npm run worker`: sends and plans in a loop, for people who host it themselves. As many as you like may run. */
await runCommand(async () => {
  if (process.argv.length > 2)
    throw new Problem('npm run worker takes no arguments; what it works with stands in the environment.')
  await work()
})
