import { parseArgs } from 'node:util'
import { type DemoWish, serve } from './home/serve.ts'
import { Problem, runCommand } from './problem.ts'

const USAGE = `npm start                   everything on this machine; the first time with a demo workspace beside it
npm start -- --no-demo      without the demo
npm start -- --demo         with the demo, made now if it is not there`

await runCommand(() => serve('production', readWish()))

function readWish(): DemoWish {
  try {
    const flag = { type: 'boolean', default: false } as const
    const { values } = parseArgs({ options: { demo: flag, 'no-demo': flag } })
    if (values.demo && values['no-demo']) throw new Problem(USAGE)
    return values.demo ? 'yes' : values['no-demo'] ? 'no' : 'at-first'
  } catch {
    throw new Problem(USAGE)
  }
}
