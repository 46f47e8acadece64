import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { ensureBuild } from '#cli/home/prepare.ts'
import { Problem } from '#cli/problem.ts'
import { type Shipped, startShipped } from '../launch/shipped.ts'
import { print, quantile, ROUNDS } from '../rounds.ts'
import { SINK_HOST, startSink } from '../send/sink.ts'
import { startBenchServer } from '../server.ts'
import { startBareRoute } from './bare-route.ts'

const CONNECTIONS = 10
const WARM_UP = 100

type Round = { ms: number; answersMs: number[]; told: Record<string, number> }

/**
 * Many programs at once that each want one email sent, of the product as shipped: no error, each accounted for. Beside it
 * a route that calls nodemailer and knows nothing afterwards, in the same run, to the same sink.
 */
export async function benchEmails(args: string[]): Promise<void> {
  const callers = Number(args[0] ?? 1_000)
  if (!Number.isInteger(callers) || callers < 10)
    throw new Problem('Say how many callers at once, at least 10: npm run bench -- emails 1000')
  await ensureBuild(() => print('Building…'))
  const folder = await mkdtemp(join(tmpdir(), 'sendonce-bench-emails-'))
  const [server, sink] = [await startBenchServer(), await startSink()]
  try {
    const databaseUrl = await server.newDatabase('emails', true)
    const app = await startShipped(databaseUrl, folder, {
      SMTP_ALLOW_PRIVATE_HOSTS: SINK_HOST,
      SEND_CONNECTIONS: String(CONNECTIONS),
    })
    const bare = await startBareRoute(sink.port, CONNECTIONS)
    const sql = new pg.Client({ connectionString: databaseUrl })
    await sql.connect()
    try {
      const key = await setUp(app, sql, sink.port)
      await rounds(callers, { app, sql, key, bareUrl: bare.url })
    } finally {
      await sql.end()
      await Promise.all([app.stop(), bare.stop()])
    }
  } finally {
    sink.stop()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

type Place = { app: Shipped; sql: pg.Client; key: string; bareUrl: string }

async function rounds(callers: number, { app, sql, key, bareUrl }: Place): Promise<void> {
  const ofBare: Round[] = []
  const ours: Round[] = []
  let asked = 0
  const bare = (count: number) => callAtOnce(`${bareUrl}/api/emails`, count, 'bare', {})
  const product = async (name: string, count: number) => {
    // A key may ask so often in a minute, and rounds follow each other sooner.
    await sql.query('DELETE FROM rate_limits')
    asked += count
    return callAtOnce(`${app.url}/api/emails`, count, name, { authorization: `Bearer ${key}` })
  }
  await bare(WARM_UP)
  await product('warm-up', WARM_UP)
  for (let round = 0; round < ROUNDS; round += 1) {
    ofBare.push(await bare(callers))
    ours.push(await product(`round-${round}`, callers))
  }
  for (let sent = 1; sent > 0; ) sent = (await app.tick()).sent
  const { rows } = await sql.query<{ status: string; count: number }>(
    `SELECT status::text, count(*)::int AS count FROM scheduled_emails WHERE kind = 'TRANSACTIONAL' GROUP BY 1 ORDER BY 1`,
  )
  print(`${callers} callers at once, ${ROUNDS} rounds, ${CONNECTIONS} connections to one sink\n`)
  tell('a bare nodemailer call in a bare route', callers, ofBare)
  tell('POST /api/emails', callers, ours)
  const [slow, quick] = [ours, ofBare].map((all) => median(all.map(({ ms }) => ms)))
  print(`  rate beside the bare route: ${((quick ?? 0) / (slow ?? 1)).toFixed(2)}`)
  const sum = rows.reduce((total, { count }) => total + count, 0)
  const states = rows.map(({ status, count }) => `${count} ${status}`).join(', ')
  print(`  ${asked} asked for, ${sum} accounted for (${states}): ${asked === sum ? 'pass' : 'NOT ALL'}`)
}

const median = (values: readonly number[]) => quantile(values, 0.5)

function tell(name: string, callers: number, all: readonly Round[]): void {
  const p = (share: number) => Math.round(median(all.map(({ answersMs }) => quantile(answersMs, share))))
  const rate = Math.round(callers / (median(all.map(({ ms }) => ms)) / 1000))
  const told = all.map((round) =>
    Object.entries(round.told)
      .map(([what, count]) => `${count} ${what}`)
      .join(', '),
  )
  print(`  ${name.padEnd(42)} p50 ${p(0.5)} ms, p99 ${p(0.99)} ms, ${rate} a second; ${[...new Set(told)].join(' / ')}`)
}

/** All of them in flight at the same time. */
async function callAtOnce(url: string, count: number, name: string, headers: Record<string, string>): Promise<Round> {
  const began = performance.now()
  const told: Record<string, number> = {}
  const answersMs = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const body = { to: `${name}-${index}@example.test`, subject: 'Your table is booked', text: 'See you on Friday.' }
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': `${name}-${index}`, ...headers },
        body: JSON.stringify(body),
      })
      const answer = (await response.json()) as { data?: { result?: string } }
      const what = response.status === 201 ? (answer.data?.result ?? 'sent') : `answered ${response.status}`
      told[what] = (told[what] ?? 0) + 1
      return performance.now() - began
    }),
  )
  return { ms: performance.now() - began, answersMs, told }
}

async function setUp(app: Shipped, sql: pg.Client, port: number): Promise<string> {
  const owner = { name: 'Olga', email: 'olga@example.com', password: 'correct horse battery', workspaceName: 'Acme' }
  await app.ask('POST', '/api/setup', owner)
  const smtp = { host: SINK_HOST, port, security: 'NONE', username: null }
  await app.ask('POST', '/api/mailboxes', { address: 'shop@acme.test', smtp, test: false })
  await sql.query(
    `UPDATE mailboxes SET status = 'CONNECTED', stopped_reason = NULL, daily_limit = 5000, rolling_limit = 5000`,
  )
  await sql.query('UPDATE sending_settings SET ramp_up_enabled = false')
  const { key } = await app.ask<{ key: string }>('POST', '/api/api-keys', { name: 'Shop', scopes: ['send'] })
  return key
}
