import { ensureBuild } from './home/prepare.ts'
import { runCommand } from './problem.ts'

/** For hosts that build and serve by themselves, such as Vercel. */
await runCommand(() => ensureBuild(() => process.stdout.write('Building the pages…\n')))
