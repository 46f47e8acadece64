import { runCommand } from './problem.ts'
import { work } from './worker/work.ts'

/** `npm run worker`: sends and plans in a loop, for people who host it themselves. As many as you like may run. */
await runCommand(work)
