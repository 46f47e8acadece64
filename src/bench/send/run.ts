import { Problem } from '#cli/problem.ts'
import { compare, verdict } from '../rounds.ts'
import { type BenchServer, startBenchServer } from '../server.ts'
import { nodemailerPool } from './nodemailer-pool.ts'
import { sendonceDrain, sendonceSmtp } from './ours.ts'
import { graphileBatched, graphileOneByOne } from './peers.ts'
import { startSink } from './sink.ts'

const IN_FLIGHT = [24, 100]
const SMTP_CONNECTIONS = 10

/** The bars of the design: with as many in flight, at least a peer that commits each job, and nine tenths of a bare SMTP pool. */
export async function benchSend(args: string[]): Promise<void> {
  const emails = Number(args[0] ?? 10_000)
  if (!Number.isInteger(emails) || emails < 1000)
    throw new Problem('Say how many emails, at least 1000: npm run bench -- send 10000')
  const server = await startBenchServer()
  try {
    for (const inFlight of IN_FLIGHT) await drain(server, emails, inFlight)
    await smtp(server, emails)
  } finally {
    await server.stop()
  }
}

async function drain(server: BenchServer, emails: number, inFlight: number): Promise<void> {
  const [ours, peer, batched] = [
    sendonceDrain(server, inFlight),
    graphileOneByOne(server, inFlight),
    graphileBatched(server, inFlight),
  ]
  const median = await compare([ours, peer, batched], emails)
  verdict('drain beside a commit for each job', median(ours) / median(peer), 1)
}

async function smtp(server: BenchServer, emails: number): Promise<void> {
  const sink = await startSink()
  try {
    const [ours, bare] = [
      sendonceSmtp(server, SMTP_CONNECTIONS, sink.port),
      nodemailerPool(SMTP_CONNECTIONS, sink.port),
    ]
    const median = await compare([ours, bare], emails)
    verdict('SMTP beside a bare nodemailer pool', median(ours) / median(bare), 0.9)
  } finally {
    sink.stop()
  }
}
