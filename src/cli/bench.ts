import { benchActions } from '#bench/actions/run.ts'
import { benchDispatch } from '#bench/dispatch/run.ts'
import { benchEmails } from '#bench/emails/run.ts'
import { benchLaunch } from '#bench/launch/run.ts'
import { benchPages } from '#bench/pages/run.ts'
import { benchPlan } from '#bench/plan/run.ts'
import { benchQueue } from '#bench/queue/run.ts'
import { benchClaims } from '#bench/send/claims.ts'
import { benchSend } from '#bench/send/run.ts'
import { benchStart } from '#bench/start/run.ts'
import { ensurePrismaClient } from './home/prepare.ts'
import { Problem, runCommand } from './problem.ts'

const BENCHES = new Map([
  ['plan', benchPlan],
  ['launch', benchLaunch],
  ['send', benchSend],
  ['pages', benchPages],
  ['claims', benchClaims],
  ['queue', benchQueue],
  ['emails', benchEmails],
  ['start', benchStart],
  ['dispatch', benchDispatch],
  ['actions', benchActions],
])

/** `npm run bench -- plan`: side by side with peers, in one run on one machine; timings alone would mean nothing. */
await runCommand(async () => {
  const [name = '', ...args] = process.argv.slice(2)
  const bench = BENCHES.get(name)
  if (!bench) throw new Problem(`Say which benchmark: npm run bench -- ${[...BENCHES.keys()].join(' | ')}`)
  await ensurePrismaClient()
  await bench(args)
})
