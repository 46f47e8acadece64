import { serve } from './home/serve.ts'
import { runCommand } from './problem.ts'

await runCommand(() => serve('development', 'no'))
