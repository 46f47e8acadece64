import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ensureBuild } from '#cli/home/prepare.ts'
import { Problem } from '#cli/problem.ts'
import { startBenchServer } from '../server.ts'
import { type Shipped, startShipped } from './shipped.ts'

const STEPS = [
  { subject: 'Hello {{firstName | "there"}}', bodyText: 'A word for {{company}}.' },
  { delayDays: 2, bodyText: 'Another.' },
  { delayDays: 3, bodyText: 'And a last one.' },
]
const MAILBOXES = 20
const LAUNCH_MS_MAX = 10_000
const APART_MAX = 0.1

/**
 * Two campaigns of this many prospects and three steps each, through the product as shipped and nothing but its API: the
 * files come in, the lists are enrolled, both are launched at once, and ticks plan the rest.
 */
export async function benchLaunch(args: string[]): Promise<void> {
  const prospects = Number(args[0] ?? 100_000)
  if (!Number.isInteger(prospects) || prospects < 1_000)
    throw new Problem(
      'Say how many prospects for each of the two campaigns, at least 1000: npm run bench -- launch 100000',
    )
  await ensureBuild(() => print('Building…'))
  const folder = await mkdtemp(join(tmpdir(), 'sendonce-bench-launch-'))
  const server = await startBenchServer()
  try {
    const databaseUrl = await server.newDatabase('launch', true)
    const app = await startShipped(databaseUrl, folder)
    try {
      await run(app, databaseUrl, prospects)
    } finally {
      await app.stop()
    }
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

type Progress = { ledger: { enrolments: Record<string, number>; emails: { total: number }; balances: boolean } }

async function run(app: Shipped, databaseUrl: string, prospects: number): Promise<void> {
  const { workspaceId } = await setUp(app)
  await prepare(databaseUrl, workspaceId)
  print(
    `two campaigns of ${prospects.toLocaleString('en')} prospects × ${STEPS.length} steps; memory is the server’s\n`,
  )
  const idle = await app.memoryMb()
  const ids: string[] = []
  for (const name of ['one', 'two']) ids.push(await draft(app, name, prospects))

  let peak = 0
  let over = false
  const watching = (async () => {
    while (!over) {
      peak = Math.max(peak, await app.memoryMb())
      await sleep(100)
    }
  })()
  const launched = await Promise.all(
    ids.map((id) => timed(() => app.ask<Launched>('POST', `/api/campaigns/${id}/launch`, {}))),
  )
  for (const { ms, answer } of launched) {
    const { scheduled, remaining } = answer.scheduling
    print(
      `launch: ${seconds(ms)}, ${scheduled} emails planned, ${remaining} prospects remain ${pass(ms <= LAUNCH_MS_MAX)}`,
    )
  }
  const looks: { apart: number; memory: number; done: number }[] = []
  const planned = () => Promise.all(ids.map(async (id) => (await progressOf(app, id)).ledger.enrolments.ACTIVE ?? 0))
  const began = performance.now()
  for (let isDone = false; !isDone; ) {
    const ticking = app.tick()
    let ticked = false
    void ticking.finally(() => {
      ticked = true
    })
    while (!ticked) {
      const [one = 0, two = 0] = await planned()
      const done = (one + two) / (2 * prospects)
      if (Math.max(one, two) < prospects)
        looks.push({ apart: Math.abs(one - two) / Math.max(one, two, 1), memory: await app.memoryMb(), done })
      await sleep(250)
    }
    isDone = !(await ticking).planningUnfinished
  }
  const ticksMs = performance.now() - began
  over = true
  await watching
  const apart = Math.max(...looks.map((look) => look.apart), 0)
  print(
    `ticks: the rest in ${seconds(ticksMs)}; of ${looks.length} looks, the two were at most ${percent(apart)} apart ${pass(apart <= APART_MAX)}`,
  )
  const memoryAt = [0.25, 0.5, 0.75, 1].map((share) => looks.findLast(({ done }) => done <= share)?.memory ?? peak)
  print(
    `memory: ${idle.toFixed(0)} MB before; by quarters of the plan ${memoryAt.map((mb) => mb.toFixed(0)).join(', ')} MB; ${peak.toFixed(0)} MB at most`,
  )
  for (const id of ids) {
    const { ms, answer } = await timed(() => progressOf(app, id))
    const { emails, balances } = answer.ledger
    print(
      `progress: ${emails.total} emails, ${balances ? 'balances' : 'DOES NOT BALANCE'}, answered in ${ms.toFixed(0)} ms`,
    )
  }
}

type Launched = { scheduling: { scheduled: number; remaining: number } }

const progressOf = (app: Shipped, id: string) => app.ask<Progress>('GET', `/api/campaigns/${id}/progress`)

async function setUp(app: Shipped): Promise<{ workspaceId: string }> {
  const owner = { name: 'Olga', email: 'olga@example.com', password: 'correct horse battery', workspaceName: 'Acme' }
  await app.ask('POST', '/api/setup', owner)
  const { workspace } = await app.ask<{ workspace: { id: string } }>('GET', '/api/session')
  await app.ask('PATCH', `/api/workspaces/${workspace.id}`, { postalAddress: '1 High Street\nLondon' })
  return { workspaceId: workspace.id }
}

/** What has no route of its own here: mailboxes without a provider, and room for their emails. */
async function prepare(databaseUrl: string, workspaceId: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('UPDATE sending_settings SET daily_quota = 20000, jitter_min_seconds = 0, jitter_max_seconds = 0')
  await client.query(
    `INSERT INTO mailboxes (id, workspace_id, address, kind, daily_limit, rolling_limit, updated_at)
     SELECT gen_random_uuid(), $1, n || '@acme.test', 'SMTP', 1000, 5000, app_now() FROM generate_series(1, $2) n`,
    [workspaceId, MAILBOXES],
  )
  await client.end()
}

async function draft(app: Shipped, name: string, prospects: number): Promise<string> {
  const list = await app.ask<{ id: string }>('POST', '/api/lists', { name })
  const lines = Array.from(
    { length: prospects },
    (_, n) => `${name}.${n}@example${n % 5_000}.com,Name ${n},Company ${n % 900}`,
  )
  const options = {
    columns: [{ to: 'email' }, { to: 'firstName' }, { to: 'company' }],
    onKnown: 'update',
    listId: list.id,
  }
  const imported = await timed(() =>
    app.upload<{ report: { created: number } }>(
      '/api/prospects/import',
      `email,name,company\n${lines.join('\n')}\n`,
      options,
    ),
  )
  print(`import: ${imported.answer.report.created} of ${prospects} lines in ${seconds(imported.ms)}`)
  const sequence = await app.ask<{ id: string }>('POST', '/api/sequences', { name, steps: STEPS })
  const { id } = await app.ask<{ id: string }>('POST', '/api/campaigns', { name, sequenceId: sequence.id })
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const body = { listIds: [list.id], ...(cursor ? { cursor } : {}) }
    const enrolled = await timed(() =>
      app.ask<{ enrolled: number; nextCursor: string | null }>('POST', `/api/campaigns/${id}/prospects`, body),
    )
    print(
      `enrol: ${enrolled.answer.enrolled} in ${seconds(enrolled.ms)}${enrolled.answer.nextCursor ? ', more to come' : ''}`,
    )
    cursor = enrolled.answer.nextCursor
  }
  const plan = await timed(() => app.ask<{ emails: number; isComplete: boolean }>('GET', `/api/campaigns/${id}/plan`))
  print(
    `dry run: ${plan.answer.emails} emails in ${seconds(plan.ms)}${plan.answer.isComplete ? '' : ', not all of them'}`,
  )
  return id
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; answer: T }> {
  const began = performance.now()
  const answer = await work()
  return { ms: performance.now() - began, answer }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
const percent = (share: number) => `${(share * 100).toFixed(1)} %`
const pass = (isSo: boolean) => (isSo ? '(pass)' : '(short)')
const print = (line: string) => process.stdout.write(`${line}\n`)
