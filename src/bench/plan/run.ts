import { Problem } from '#cli/problem.ts'
import type { Contestant } from '../contestant.ts'
import { type BenchServer, startBenchServer } from '../server.ts'
import { peakMemoryMb } from './memory.ts'
import { bareInsert, sendonce } from './ours.ts'
import { bullMq, graphileWorker, pgBoss } from './peers.ts'

const ROUNDS = 3
const RECIPIENTS = [10_000, 100_000, 1_000_000]

/** The bars of the design: at least the fastest peer, half of a bare insert, and memory that does not grow. */
export async function benchPlan(args: string[]): Promise<void> {
  const emails = Number(args[0] ?? 60_000)
  if (!Number.isInteger(emails) || emails < 3000 || emails % 3000 !== 0) {
    throw new Problem('Say how many emails, in multiples of 3000: npm run bench -- plan 60000')
  }
  const server = await startBenchServer()
  try {
    await compare(server, emails)
    await weigh(server)
  } finally {
    await server.stop()
  }
}

/** Round by round, everybody once in each, so that a slow minute of the machine hits all alike. */
async function compare(server: BenchServer, emails: number): Promise<void> {
  const [ours, bare] = [sendonce(server), bareInsert(server)]
  const peers = [pgBoss(server), graphileWorker(server), bullMq]
  const rates = new Map<Contestant, number[]>()
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const contestant of [ours, bare, ...peers]) {
      const rate = await measure(contestant, emails)
      if (rate !== undefined) rates.set(contestant, [...(rates.get(contestant) ?? []), rate])
    }
  }
  const median = (contestant: Contestant) =>
    (rates.get(contestant) ?? []).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0
  print(`\n${emails} emails, median of ${ROUNDS} rounds, emails per second:`)
  for (const contestant of rates.keys())
    print(`  ${contestant.name.padEnd(34)} ${Math.round(median(contestant)).toLocaleString('en')}`)
  verdict('beside the fastest peer', median(ours) / Math.max(...peers.map(median)), 1)
  verdict('beside the bare insert', median(ours) / median(bare), 0.5)
}

async function measure(contestant: Contestant, emails: number): Promise<number | undefined> {
  const opened = await contestant.open(emails)
  if (!opened) return undefined
  const started = performance.now()
  await opened.run()
  const seconds = (performance.now() - started) / 1000
  await opened.close()
  return emails / seconds
}

async function weigh(server: BenchServer): Promise<void> {
  print('\nPeak memory of a process that schedules so many recipients:')
  const peaks: number[] = []
  for (const recipients of RECIPIENTS) {
    const peak = await peakMemoryMb(server, recipients)
    peaks.push(peak)
    print(`  ${recipients.toLocaleString('en').padStart(9)} ${peak.toFixed(0)} MB`)
  }
  const ratio = (peaks.at(-1) ?? 0) / (peaks[0] ?? 1)
  print(`  the most beside the fewest: ${ratio.toFixed(2)} (at most 1.10): ${ratio <= 1.1 ? 'pass' : 'short'}`)
}

function verdict(what: string, ratio: number, bar: number): void {
  print(
    `  ${what}: ${ratio.toFixed(2)} (at least ${bar}): ${ratio >= bar ? 'pass' : `short by ${Math.round((1 - ratio / bar) * 100)} %`}`,
  )
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
