import { fork } from 'node:child_process'
import { join } from 'node:path'
import { Problem } from '#cli/problem.ts'
import { projectRoot } from '#cli/project.ts'
import { print, quantile } from '../rounds.ts'

const CONTESTANTS = {
  without: 'the cron route alone',
  gmail: 'with Gmail’s part of googleapis, as it is loaded for the first Gmail mailbox',
  googleapis: 'with all of googleapis',
} as const
type Contestant = keyof typeof CONTESTANTS

type Weighed = { ms: number; rssMb: number; googleModules: number }

/** What Google's client costs a start of the cron route, in time and memory: each in processes of its own, in turn. */
export async function benchStart(args: string[]): Promise<void> {
  const rounds = Number(args[0] ?? 7)
  if (!Number.isInteger(rounds) || rounds < 1) throw new Problem('Say how many rounds: npm run bench -- start 7')
  const found = new Map<Contestant, Weighed[]>()
  for (let round = 0; round <= rounds; round += 1)
    for (const contestant of Object.keys(CONTESTANTS) as Contestant[]) {
      const weighed = await weigh(contestant)
      // The first finds nothing in the caches of the machine.
      if (round > 0) found.set(contestant, [...(found.get(contestant) ?? []), weighed])
    }
  const medianOf = (contestant: Contestant, what: keyof Weighed) =>
    quantile(
      (found.get(contestant) ?? []).map((one) => one[what]),
      0.5,
    )
  const [baseMs, baseMb] = [medianOf('without', 'ms'), medianOf('without', 'rssMb')]
  for (const [contestant, name] of Object.entries(CONTESTANTS) as [Contestant, string][]) {
    const [ms, mb] = [medianOf(contestant, 'ms'), medianOf(contestant, 'rssMb')]
    print(
      `${ms.toFixed(0).padStart(5)} ms (× ${(ms / baseMs).toFixed(2)})  ${mb.toFixed(0).padStart(4)} MB (× ${(mb / baseMb).toFixed(2)})  ${String(medianOf(contestant, 'googleModules')).padStart(5)} modules of Google’s: ${name}`,
    )
  }
}

function weigh(contestant: Contestant): Promise<Weighed> {
  const child = fork(join(projectRoot, 'src/bench/start/weigh.ts'), [contestant], {
    env: { ...process.env, NODE_COMPILE_CACHE: '' },
  })
  return new Promise((done, failed) => {
    child.once('message', (answer) => done(answer as Weighed))
    child.once('exit', (code) => failed(new Error(`it ended with ${code}`)))
  })
}
