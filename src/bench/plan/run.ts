import { Problem } from '#cli/problem.ts'
import { compare, print, verdict, verdictAtMost } from '../rounds.ts'
import { type BenchServer, startBenchServer } from '../server.ts'
import { peakMemoryMb } from './memory.ts'
import { bareInsert, sendonce } from './ours.ts'
import { bullMq, graphileWorker, pgBoss } from './peers.ts'

const RECIPIENTS = [10_000, 100_000, 1_000_000]

/** The bars of the design: at least the fastest peer, half of a bare insert, and memory that does not grow. */
export async function benchPlan(args: string[]): Promise<void> {
  const emails = Number(args[0] ?? 60_000)
  if (!Number.isInteger(emails) || emails < 3000 || emails % 3000 !== 0) {
    throw new Problem('Say how many emails, in multiples of 3000: npm run bench -- plan 60000')
  }
  const server = await startBenchServer()
  try {
    await contest(server, emails)
    await weigh(server)
  } finally {
    await server.stop()
  }
}

async function contest(server: BenchServer, emails: number): Promise<void> {
  const [ours, bare] = [sendonce(server), bareInsert(server)]
  const peers = [pgBoss(server), graphileWorker(server), bullMq]
  const median = await compare([ours, bare, ...peers], emails)
  verdict('beside the fastest peer', median(ours) / Math.max(...peers.map(median)), 1)
  verdict('beside the bare insert', median(ours) / median(bare), 0.5)
}

async function weigh(server: BenchServer): Promise<void> {
  print('\nPeak memory of a process that schedules this many recipients:')
  const peaks: number[] = []
  for (const recipients of RECIPIENTS) {
    const peak = await peakMemoryMb(server, recipients)
    peaks.push(peak)
    print(`  ${recipients.toLocaleString('en').padStart(9)} ${peak.toFixed(0)} MB`)
  }
  const ratio = (peaks.at(-1) ?? 0) / (peaks[0] ?? 1)
  verdictAtMost('the most beside the fewest', ratio, 1.1)
}
