import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '#cli/ports.ts'
import { monthAfter } from '#components/sending/calendar-month.ts'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { examine } from '#lib/operations/doctor/examine.ts'
import { createPool } from '#lib/platform/database.ts'
import { type Command, runCommandProcess } from '#tests/support/server/command.ts'
import { HttpPerson } from '#tests/support/server/http-person.ts'

/** What the first `npm start` of a fresh installation makes beside it, and how it goes again. */
type Overview = Received<'GET /api/overview'>
type Behind = { total: number; rows: unknown[] }

const MINUTES = 60_000

let folder = ''
let command: Command
let mainUrl = ''
let demoUrl = ''
let mainDatabase = ''
let pool: pg.Pool
const login = { email: '', password: '' }
let owner: HttpPerson
let overview: Overview

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sendonce-demo-'))
  await chmod(folder, 0o755)
  command = runCommandProcess('start', [], { DATA_DIR: folder, PORT: String(await freePort(0)) })
  await command.says(/Remove it\s+npm run demo -- remove/)
  const told = (pattern: RegExp) => command.output().match(pattern)?.[1] ?? ''
  mainUrl = told(/Open it\s+(\S+)/)
  demoUrl = told(/demo workspace is there[\s\S]*?Open it\s+(\S+)/)
  Object.assign(login, { email: told(/Sign in as\s+(\S+)/), password: told(/Sign in as\s+\S+\s+with\s+(\S+)/) })
  const { databasePassword } = JSON.parse(await readFile(join(folder, 'settings.json'), 'utf8'))
  mainDatabase = told(/Database\s+(\S+)/).replace('sendonce@', `sendonce:${databasePassword}@`)
  pool = createPool(`${mainDatabase}_demo`, 3)
  owner = new HttpPerson(demoUrl)
  await owner.ask('POST', '/api/session', login)
  overview = await owner.ask<Overview>('GET', '/api/overview')
}, 15 * MINUTES)

afterAll(async () => {
  await pool?.end().catch(() => undefined)
  command?.process.kill('SIGTERM')
  await command?.ended
  await rm(folder, { recursive: true, force: true })
})

const behind = (query: Record<string, string>) =>
  owner.ask<Behind>('GET', `/api/overview/rows?${new URLSearchParams({ ...query, limit: '200' })}`)

/** What the list, the overview, the calendar and the activity of a campaign say, by the address of the list behind it. */
async function readCounts(id: string): Promise<Record<string, number>> {
  const place = `/api/campaigns/${id}`
  const counts: Record<string, number> = {}
  const add = (door: string, count: number) => {
    if (count > 0) counts[`${place}/${door}`] = count
  }
  const { ledger } = await owner.ask<Received<'GET /api/campaigns/[id]/progress'>>('GET', `${place}/progress`)
  const { total: emails, wanted: _, ...statuses } = ledger.emails
  const { total: people, ...states } = ledger.enrolments
  add('scheduled-emails?', emails)
  add('prospects?', people)
  for (const [status, count] of Object.entries(statuses)) add(`scheduled-emails?status=${status}`, count)
  for (const [state, count] of Object.entries(states)) add(`prospects?state=${state}`, count)

  const { campaigns } = await owner.ask<Received<'GET /api/campaigns'>>('GET', '/api/campaigns')
  const line = campaigns.find((one) => one.id === id)
  add('scheduled-emails?status=WAITING', line?.emails.waiting ?? 0)
  const DOORS = {
    'missing-fields': 'prospects?state=BLOCKED',
    'fields-of-emails': 'scheduled-emails?blocker=merge-fields-complete',
    'paused-people': 'scheduled-emails?blocker=prospect-active',
    unknown: 'scheduled-emails?status=OUTCOME_UNKNOWN',
  }
  for (const { code, count } of line?.blocks ?? []) if (code in DOORS) add(DOORS[code as keyof typeof DOORS], count)

  type Calendar = Received<'GET /api/campaigns/[id]/calendar'>
  const { firstDate, lastDate } = await owner.ask<Calendar>('GET', `${place}/calendar`)
  for (let month = firstDate?.slice(0, 7); month && lastDate && month <= lastDate; month = monthAfter(month, 1)) {
    const { days } = await owner.ask<Calendar>('GET', `${place}/calendar?month=${month}`)
    for (const { date, sent, waiting, failed, unknown } of days) {
      add(`scheduled-emails?date=${date}&status=SENT`, sent)
      add(`scheduled-emails?date=${date}&status=WAITING`, waiting)
      add(`scheduled-emails?date=${date}&status=PERMANENTLY_FAILED`, failed)
      add(`scheduled-emails?date=${date}&status=OUTCOME_UNKNOWN`, unknown)
    }
  }
  return counts
}

type Door = { query: Record<string, string>; count: number }

/** Numbers beside those of hours, days and campaigns, as their pages have them, with what opens each. */
async function readDoors(): Promise<Door[]> {
  const { days } = await owner.ask<Overview>('GET', '/api/overview')
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) throw new Error('there are no days')
  const month = (['sent', 'failed', 'bounced', 'replied', 'unsubscribed'] as const).map((what) => ({
    query: { what, from: first.from, until: last.until },
    count: days.reduce((all, day) => all + day[what], 0),
  }))
  const { mailboxes } = await owner.ask<Received<'GET /api/mailboxes'>>('GET', '/api/mailboxes')
  const ofMailboxes = mailboxes.flatMap(({ id: mailboxId, today: { date, until, sent, waiting } }): Door[] => [
    { query: { what: 'mailbox-used', mailboxId, date }, count: sent },
    { query: { what: 'mailbox-due', mailboxId, until }, count: waiting },
  ])
  const { campaigns } = await owner.ask<Received<'GET /api/campaigns'>>('GET', '/api/campaigns')
  const hours = campaigns.map(({ id: campaignId, sentLastHour, lastHour }) => ({
    query: { what: 'sent-of-campaign', campaignId, ...lastHour },
    count: sentLastHour,
  }))
  const { accepted, unknowns } = await owner.ask<Received<'GET /api/admin/promise'>>('GET', '/api/admin/promise')
  const ways = Object.entries(unknowns.ways).map(([way, count]) => ({ query: { what: 'were-unknown', way }, count }))
  return [
    ...[...month, ...ofMailboxes, ...hours, ...ways],
    { query: { what: 'accepted' }, count: accepted },
    { query: { what: 'accepted-again' }, count: unknowns.acceptedAgain },
    { query: { what: 'were-unknown' }, count: unknowns.total },
  ]
}

/** All of them, page after page. */
async function countRows(query: Record<string, string>): Promise<number> {
  let count = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const asked = new URLSearchParams({ ...query, limit: '100', ...(cursor ? { cursor } : {}) })
    const page: Received<'GET /api/overview/rows'> = await owner.ask('GET', `/api/overview/rows?${asked}`)
    count += page.rows.length
    cursor = page.nextCursor
  }
  return count
}

async function rowsBehind(door: string): Promise<number> {
  type Page = { emails?: unknown[]; enrolments?: unknown[]; nextCursor: string | null }
  let count = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await owner.ask<Page>('GET', `${door}&limit=200${cursor ? `&cursor=${cursor}` : ''}`)
    count += (page.emails ?? page.enrolments ?? []).length
    cursor = page.nextCursor
  }
  return count
}

describe('the demo', () => {
  test('has three people with roles, 300 prospects in lists, and a campaign in every state that is of interest', async () => {
    const { members } = await owner.ask<{ members: { role: string }[] }>('GET', '/api/members')
    expect(members.map(({ role }) => role).sort()).toEqual(['admin', 'member', 'owner'])
    expect(await owner.ask('GET', '/api/prospects/count')).toMatchObject({ count: 300 })
    const { lists } = await owner.ask<{ lists: unknown[] }>('GET', '/api/lists')
    expect(lists).toHaveLength(5)
    const { campaigns } = await owner.ask<Received<'GET /api/campaigns'>>('GET', '/api/campaigns')
    const states = campaigns.map(({ status }) => status)
    for (const state of ['RUNNING', 'PAUSED', 'SCHEDULED', 'SENT', 'DRAFT']) expect(states).toContain(state)
    expect(campaigns.find(({ status }) => status === 'SENT')?.emails.failed).toBeGreaterThan(0)
  })

  test('has a month behind it that plots can tell, and things that need somebody', () => {
    const days = (what: 'sent' | 'failed' | 'bounced' | 'unsubscribed') => overview.days.filter((day) => day[what] > 0)
    expect(days('sent').length).toBeGreaterThan(10)
    for (const what of ['failed', 'bounced', 'unsubscribed'] as const) expect(days(what).length).toBeGreaterThan(0)
    const kinds = overview.attention.map(({ kind }) => kind)
    for (const kind of ['mailbox-stopped', 'unknown', 'failed', 'people-blocked']) expect(kinds).toContain(kind)
  })

  test('every count of the overview is the number of the rows that its door opens', async () => {
    let doors = 0
    const opens = async (count: number, query: Record<string, string>) => {
      const { total, rows } = await behind(query)
      expect(total, JSON.stringify(query)).toBe(count)
      expect(rows.length, JSON.stringify(query)).toBe(Math.min(count, 200))
      doors += 1
    }
    for (const { from, until, date: _date, ...counts } of overview.days)
      for (const [what, count] of Object.entries(counts)) if (count > 0) await opens(count, { what, from, until })
    const now = new Date().toISOString()
    for (const { from, until, sent, planned } of overview.hours) {
      // The hour that is now goes on while we look.
      if (from <= now && now < until) continue
      if (sent > 0) await opens(sent, { what: 'sent', from, until })
      if (planned > 0) await opens(planned, { what: 'planned', from, until })
    }
    for (const { kind, id, count } of overview.attention) {
      if (kind === 'failed' || kind === 'unknown') await opens(count ?? 0, { what: `open-${kind}` })
      if (kind === 'people-blocked') await opens(count ?? 0, { what: 'blocked', campaignId: id ?? '' })
    }
    expect(doors).toBeGreaterThan(20)
  })

  test('the sums of a month, what mailboxes sent and have due, the last hour, and what the promise counts open as many', async () => {
    const doors = await readDoors()
    expect(doors.length).toBeGreaterThan(12)
    // What is of today alone may be none, by the hour.
    for (const what of ['sent', 'accepted', 'were-unknown'])
      expect(doors.some(({ query, count }) => query.what === what && count > 0)).toBe(true)
    for (const [index, door] of doors.entries()) {
      // The worker sends while we look: what moved in between is read once more.
      for (let [{ query, count }, tries] = [door, 1]; ; tries += 1) {
        const [found, listed] = await Promise.all([behind(query), countRows(query)])
        if (found.total === count && listed === count) break
        if (tries === 5) expect([query, found.total, listed]).toEqual([query, count, count])
        const again = (await readDoors())[index]
        if (!again) throw new Error('a door is gone')
        query = again.query
        count = again.count
      }
    }
  })

  test('every count on the pages of each of its campaigns is the number of the rows that its door opens', async () => {
    const { campaigns } = await owner.ask<Received<'GET /api/campaigns'>>('GET', '/api/campaigns')
    expect(campaigns.length).toBeGreaterThan(5)
    let doors = 0
    for (const { id } of campaigns) {
      const counts = await readCounts(id)
      for (const [door, count] of Object.entries(counts)) {
        // The worker sends while we look: what moved in between is read once more.
        for (let [said, tries]: [number, number] = [count, 1]; ; tries += 1) {
          const found = await rowsBehind(door)
          if (said === found) break
          if (tries === 5) expect([door, found]).toEqual([door, said])
          said = (await readCounts(id))[door] ?? 0
        }
        doors += 1
      }
    }
    expect(doors).toBeGreaterThan(campaigns.length * 5)
  })

  test('is honest: every invariant holds, its clock is the database’s own again, and everything was caught', async () => {
    expect(await examine(pool)).toEqual([])
    const { rows } = await pool.query<{ apart: number; schemas: number; defaults: number }>(
      `SELECT abs(extract(epoch FROM app_now() - clock_timestamp()))::float8 AS apart,
         (SELECT count(*)::int FROM pg_namespace WHERE nspname = 'demo') AS schemas,
         (SELECT count(*)::int FROM information_schema.columns WHERE table_name = 'campaigns' AND column_name = 'created_at'
            AND column_default = 'CURRENT_TIMESTAMP') AS defaults`,
    )
    expect(rows[0]?.apart).toBeLessThan(1)
    expect(rows[0]).toMatchObject({ schemas: 0, defaults: 1 })
    const kept = await pool.query<{ sent: number; outside: number }>(
      `SELECT count(*) FILTER (WHERE status = 'SENT')::int AS sent,
         count(*) FILTER (WHERE status = 'SENT' AND sent_at > clock_timestamp())::int AS outside FROM scheduled_emails`,
    )
    expect(kept.rows[0]?.outside).toBe(0)
    const mails = (await readdir(join(folder, 'demo', 'mail'))).length
    expect(mails).toBeGreaterThanOrEqual(kept.rows[0]?.sent ?? Number.POSITIVE_INFINITY)
  })

  test('has secrets of its own that no other account can read, and is served to this machine alone', async () => {
    expect((await stat(join(folder, 'demo', 'demo.json'))).mode & 0o077).toBe(0)
    expect((await stat(join(folder, 'demo'))).mode & 0o077).toBe(0)
    expect(new URL(demoUrl).hostname).toBe('127.0.0.1')
    expect(login.password).toHaveLength(12)
  })

  test('is offered by both pages on which one comes in, and the first who comes beside it is the owner', async () => {
    expect(await (await fetch(`${demoUrl}/sign-in`)).text()).toContain(login.password)
    const welcome = await (await fetch(`${mainUrl}/setup`)).text()
    expect(welcome).toContain(demoUrl)
    expect(welcome).not.toContain(login.password)
    const founder = new HttpPerson(mainUrl)
    const body = { name: 'Fred', email: 'fred@example.com', password: 'a good long password', workspaceName: 'Mine' }
    await founder.ask('POST', '/api/setup', body)
    const session = await founder.ask<{ workspace: { role: string; name: string } }>('GET', '/api/session')
    expect(session.workspace).toMatchObject({ role: 'owner', name: 'Mine' })
    expect((await founder.ask<Overview>('GET', '/api/overview')).steps.people).toBe(false)
    expect((await founder.call('POST', '/api/demo/removal')).status).toBe(404)
    expect(await (await fetch(`${mainUrl}/sign-in`)).text()).toContain(demoUrl)
  })

  test('goes by a button, with its database, and nothing beside it', { timeout: 2 * MINUTES }, async () => {
    await pool.end()
    const admin = new HttpPerson(demoUrl)
    await admin.ask('POST', '/api/session', { ...login, email: 'adam@demo.example' })
    expect((await admin.call('POST', '/api/demo/removal')).status).toBe(403)
    await owner.ask('POST', '/api/demo/removal')
    await command.says(/The demo was removed/)
    expect(await readdir(folder)).not.toContain('demo')
    expect(await fetch(demoUrl).catch(() => 'silent')).toBe('silent')
    const client = new pg.Client({ connectionString: mainDatabase })
    await client.connect()
    const { rows } = await client.query('SELECT datname FROM pg_database WHERE datname = $1', ['sendonce_demo'])
    await client.end()
    expect(rows).toEqual([])
    expect((await fetch(`${mainUrl}/api/health`)).status).toBe(200)
    expect(await (await fetch(`${mainUrl}/sign-in`)).text()).not.toContain(demoUrl)
  })

  test('does not come back by itself', { timeout: 5 * MINUTES }, async () => {
    command.process.kill('SIGTERM')
    await command.ended
    command = runCommandProcess('start', [], { DATA_DIR: folder, PORT: String(await freePort(0)) })
    await command.says(/Press Ctrl-C/)
    const gone = runCommandProcess('demo', ['remove'], { DATA_DIR: folder })
    expect(await gone.ended).toBe(1)
    expect(gone.output()).toContain('There is no demo here.')
    expect(await readdir(folder)).not.toContain('demo')
  })
})
