import { appendFileSync } from 'node:fs'
import * as fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CONTRACT } from '#lib/contract/contract.ts'
import type { Operation } from '#lib/contract/operation.ts'
import { openApiDocument } from '#lib/openapi/document.ts'
import { examine } from '#lib/operations/doctor/examine.ts'
import { complaintsAbout, described, isCutByCaller, statusOf } from '#tests/support/fuzz/judge.ts'
import { FuzzPlace } from '#tests/support/fuzz/place.ts'
import { type Ask, requestsOf } from '#tests/support/fuzz/requests.ts'
import { sendAsk } from '#tests/support/fuzz/send-ask.ts'
import { DocumentJudge } from '#tests/support/openapi/judge.ts'
import { testApp } from '#tests/support/server/app.ts'
import { Gauge, type Reading } from '#tests/support/server/gauge.ts'

/**
 * Every operation of the contract, asked for by everybody with what its schemas take and with what nobody should send,
 * at the built server; every answer is one that the API's document allows. `npm run test:fuzz` goes on for ten minutes with requests that are new each time; the short form
 * makes the same ones in every run.
 */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 0)
const SEED = Number(process.env.FUZZ_SEED ?? (SECONDS > 0 ? Date.now() % 1_000_000 : 42))
const ROUNDS_SHORT = 2
const ASKS_A_ROUND = 4
const RESTORED_AFTER = 60
const COMPLAINTS_SHOWN = 20
const LOG_SHOWN = 4_000
const READ_EVERY_MS = 60_000

/** The one thread of the server serves everybody; what holds it this long, holds all of them. */
const HELD_MS_MAX = 500
const ANSWER_MS_MAX = 500
/** A slow answer is the machine's where the lightest request, sent right after it, is not so much quicker. */
const SLOWER_THAN_LIGHTEST = 10

/** What waits for others by its nature: for a mail server, for name servers, for emails to fall due. */
const WAITS_FOR_OTHERS = new Set([
  'GET /api/cron/send-emails',
  'POST /api/domains/[id]/verify',
  'POST /api/mailboxes',
  'PATCH /api/mailboxes/[id]',
  'POST /api/mailboxes/[id]/test',
  'POST /api/sequences/[id]/test-send',
  'POST /api/templates/[id]/test-send',
  'POST /api/webhooks',
  'PATCH /api/webhooks/[id]',
  'POST /api/webhooks/[id]/test',
])

const document = new DocumentJudge(openApiDocument())

const gauge = new Gauge()
const app = testApp(gauge.env)

const operations = Object.values(CONTRACT).flatMap((area): Operation[] => Object.values(area))
const nameOf = ({ method, path }: Operation) => `${method} ${path}`

type Complaint = { found: string; name: string; about: string; requestId: string | undefined }

const complaints: Complaint[] = []
const requestIds = new Map<string, { status: number; about: string }>()
/** By operation: the status codes of its answers, and how often each came. */
const answered = new Map<string, Map<number, number>>()
const slowest: { name: string; ms: number; cpuMs: number }[] = []
let place: FuzzPlace
let before: Reading
let after: Reading
/** In a long run: a cache that fills comes to an end, and a leak does not. */
const underWay: Reading[] = []
let asked = 0

beforeAll(
  async () => {
    place = await FuzzPlace.make(app)
    // What is loaded and kept at the first request of each kind is no leak.
    await round(SEED)
    before = await gauge.readTidied()
    const began = Date.now()
    const isOver = (n: number) => (SECONDS > 0 ? Date.now() >= began + SECONDS * 1_000 : n >= ROUNDS_SHORT)
    for (let n = 1; !isOver(n); n += 1) {
      await round(SEED + n)
      if (Date.now() >= began + (underWay.length + 1) * READ_EVERY_MS) underWay.push(await gauge.readTidied())
    }
    after = await gauge.readTidied()
    await report()
  },
  SECONDS * 1_000 + 240_000,
)

afterAll(async () => {
  gauge.close()
  await place.close()
})

async function round(seed: number): Promise<void> {
  const asks = operations.flatMap((operation, index) =>
    fc.sample(requestsOf(operation, app.smtpPort), { seed: seed * operations.length + index, numRuns: ASKS_A_ROUND }),
  )
  // In no order: what one makes, the next takes away.
  const [order = []] = fc.sample(fc.shuffledSubarray(asks, { minLength: asks.length }), { seed, numRuns: 1 })
  for (const [index, ask] of order.entries()) {
    if (index % RESTORED_AFTER === 0) await place.restore()
    await judged(ask)
  }
}

async function judged(ask: Ask): Promise<void> {
  const secrets = FuzzPlace.secretsFrom(ask.caller)
  const { cpuMs: cpuBefore } = await gauge.read()
  const { answer, sent, ms } = await sendAsk(place, ask)
  const cpuMs = (await gauge.read()).cpuMs - cpuBefore
  const name = nameOf(ask.operation)
  const exchange = { ask, answer, sent, secrets }
  const found = complaintsAbout(exchange)
  if (!isCutByCaller(exchange)) found.push(...document.complaintsAboutAsk(ask, answer))
  if (cpuMs > HELD_MS_MAX) found.push(`holds the process for ${Math.round(cpuMs)} ms`)
  // Of a whole answer, a clock tells only in the long run, where nobody else should be at work.
  if (SECONDS > 0 && ms > ANSWER_MS_MAX && !WAITS_FOR_OTHERS.has(name)) {
    const lightestMs = await lightest()
    if (ms > SLOWER_THAN_LIGHTEST * lightestMs)
      found.push(`takes ${Math.round(ms)} ms, where the lightest takes ${Math.round(lightestMs)}`)
  }
  const id = answer.headers.get('x-request-id')?.[0]
  if (found.length > 0)
    complaints.push({ found: found.join('; '), name, about: described(exchange, found), requestId: id })
  if (id) requestIds.set(id, { status: statusOf(answer), about: described(exchange, []) })
  const counts = answered.get(name) ?? new Map<number, number>()
  answered.set(name, counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1))
  asked += 1
  slowest.push({ name, ms, cpuMs })
  slowest.sort((one, other) => other.ms - one.ms).splice(50)
}

async function lightest(): Promise<number> {
  const startedMs = performance.now()
  await fetch(`${app.url}/api/setup`)
  return performance.now() - startedMs
}

/** Which operations no request has brought to do what they do. */
function neverDone(): string[] {
  const isDone = (status: number) => status >= 200 && status < 300
  return [...answered].filter(([, counts]) => ![...counts.keys()].some(isDone)).map(([name]) => name)
}

/** One of each kind, with how often it came and what the server's log said of it. */
async function shown(): Promise<string[]> {
  if (complaints.length === 0) return []
  const log = await app.serverLog()
  const kinds = Map.groupBy(complaints, ({ found, name }) => `${name}: ${found.replaceAll(/\d+/g, '…')}`)
  return [...kinds].map(([kind, [first, ...others]]) => {
    const lines = log.split('\n').filter((line) => first?.requestId && line.includes(first.requestId))
    return `${others.length + 1} × ${kind}\n${first?.about}\n${lines.join('\n').slice(0, LOG_SHOWN)}`
  })
}

async function report(): Promise<void> {
  const file = process.env.FUZZ_REPORT
  if (!file) return
  const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)
  const own = slowest.filter(({ name }) => !WAITS_FOR_OTHERS.has(name))
  const lines = [
    `${asked} requests to ${answered.size} operations, seed ${SEED}: ${complaints.length} complaints`,
    `heap ${megabytes(before.heapUsed)} → ${megabytes(after.heapUsed)} MB, outside of it ${megabytes(before.external)} → ${megabytes(after.external)} MB, resident ${megabytes(before.rss)} → ${megabytes(after.rss)} MB, handles ${before.handles} → ${after.handles}`,
    `heap minute by minute: ${underWay.map(({ heapUsed }) => megabytes(heapUsed)).join(', ')} MB`,
    `asked and never done: ${neverDone().sort().join(', ')}`,
    'slowest:',
    ...own
      .slice(0, 15)
      .map(({ name, ms, cpuMs }) => `  ${Math.round(ms)} ms (${Math.round(cpuMs)} ms of the process) ${name}`),
  ]
  appendFileSync(file, `${lines.join('\n')}\n`)
}

test('every operation was asked, and most of them did what they do', () => {
  expect([...answered.keys()].sort()).toEqual(operations.map(nameOf).sort())
  // Some take a secret, the token of a mail, or an email in a state that only a worker brings about.
  expect(neverDone().length).toBeLessThan(operations.length / 2)
})

test('no answer is a failure of ours, and each has its envelope, its headers, and nothing of another workspace', async () => {
  expect((await shown()).slice(0, COMPLAINTS_SHOWN).join('\n')).toBe('')
})

test('every answer has its line in the log', async () => {
  const wrong = async () => {
    const lines = new Map<string, number[]>()
    for (const line of (await app.serverLog()).split('\n')) {
      if (!line.startsWith('{')) continue
      const { requestId, status } = JSON.parse(line) as { requestId?: string; status?: number }
      if (requestId && status !== undefined) lines.set(requestId, [...(lines.get(requestId) ?? []), status])
    }
    return [...requestIds].flatMap(([id, { status, about }]) =>
      lines.get(id)?.join() === String(status) ? [] : [`${lines.get(id)?.join() ?? 'no line'}: ${about}`],
    )
  }
  await expect.poll(async () => (await wrong()).slice(0, COMPLAINTS_SHOWN).join('\n'), { timeout: 15_000 }).toBe('')
})

test('what it occupied was given back', () => {
  const megabyte = 1024 * 1024
  // Of a long run the second half, when the caches are full: 0.2 kB for each request would be 10 MB of 50,000.
  const middle = underWay[Math.floor(underWay.length / 2)] ?? before
  expect((after.heapUsed - middle.heapUsed) / megabyte).toBeLessThan(underWay.length > 0 ? 10 : 40)
  expect((after.heapUsed - before.heapUsed) / megabyte).toBeLessThan(underWay.length > 0 ? 64 : 40)
  expect((after.external - before.external) / megabyte).toBeLessThan(40)
  expect(after.handles - before.handles).toBeLessThan(20)
})

test('nothing is in the database that must never be there', async () => {
  const pool = new pg.Pool({ connectionString: app.databaseUrl, max: 1 })
  expect(await examine(pool).finally(() => pool.end())).toEqual([])
})
