import { randomBytes } from 'node:crypto'
import { chmod, chown, cp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { applyMigrations } from '#cli/migrate/apply.ts'
import { type EmbeddedPostgres, startPostgres } from '#cli/postgres/server.ts'
import { readMaybeSent } from '#lib/email-scheduler/read/after-restore.ts'
import { holdSending, liftHold, noticeServer, readHold } from '#lib/email-scheduler/send/hold.ts'
import { readDashboard } from '#lib/operations/dashboard.ts'
import { readHealth } from '#lib/operations/health.ts'
import { createPool } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'
import { type DueCampaign, makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { runCommandProcess } from '#tests/support/server/command.ts'
import { createTestDatabase, dropTestDatabase } from '#tests/support/server/database.ts'
import { scratchFolder } from '#tests/support/server/scratch.ts'
import { silent } from '#tests/support/silent.ts'

const undo: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const step of undo.reverse()) await step()
})

let provider: TestProvider
beforeEach(() => {
  provider = new TestProvider()
})

async function freshDatabase(): Promise<{ pool: pg.Pool; url: string }> {
  const url = await createTestDatabase()
  const pool = createPool(url, 5)
  undo.push(async () => {
    await pool.end()
    await dropTestDatabase(url)
  })
  return { pool, url }
}

/** As if the data had been written on another server: what was seen last is not this one. */
const moveElsewhere = (pool: pg.Pool) => pool.query(`UPDATE server_sightings SET server = '1/1'`)

describe('a server that is not the one seen last', () => {
  test('is not even asked about before the first tick, which writes it down and holds nothing', async () => {
    const { pool } = await freshDatabase()
    expect((await readHold(pool)).isHeld).toBe(false)
    const campaign = await makeDueCampaign(pool, { prospects: 2 })
    await Promise.all([1, 2, 3].map(() => runTick(pool, 'test', silent)))
    await runTick(pool, 'test', silent)
    await sendAll(pool, provider)
    expect(await statusesOf(pool, campaign.campaignId)).toEqual({ SENT: 2 })
    const { rows } = await pool.query('SELECT DISTINCT reason, lifted_at IS NULL AS held FROM server_sightings')
    expect(rows).toEqual([{ reason: 'FIRST', held: false }])
  })

  test('gets no email to send, from the very first claim on, until a person lets it', async () => {
    const { pool } = await freshDatabase()
    await runTick(pool, 'test', silent)
    const campaign = await makeDueCampaign(pool, { prospects: 3 })
    await moveElsewhere(pool)
    expect(await sendAll(pool, provider)).toMatchObject({ due: 0 })
    await runTick(pool, 'test', silent)
    await runTick(pool, 'test', silent)
    expect(await sendAll(pool, provider)).toMatchObject({ due: 0 })
    expect(provider.handed).toEqual([])
    expect(await readHold(pool)).toMatchObject({ isHeld: true, reason: 'CHANGED' })
    expect((await readDashboard(pool, campaign.workspaceId)).hold.sentence).toMatch(/^Sending is held/)
    expect(await readHealth(pool, silent)).toMatchObject({ status: 'degraded', sending: { ok: false } })

    expect(await liftHold(pool, 'olga')).toBe(true)
    expect(await liftHold(pool, 'olga')).toBe(false)
    await runTick(pool, 'test', silent)
    expect(await sendAll(pool, provider)).toMatchObject({ sent: 3 })
    expect(await readHealth(pool, silent)).toMatchObject({ sending: { ok: true } })
  })

  test('is told from a person’s own hold, which ends as one', async () => {
    const { pool } = await freshDatabase()
    await runTick(pool, 'test', silent)
    await makeDueCampaign(pool, { prospects: 1 })
    await holdSending(pool)
    await holdSending(pool)
    expect(await readHold(pool)).toMatchObject({ isHeld: true, reason: 'BY_PERSON' })
    expect(await sendAll(pool, provider)).toMatchObject({ due: 0 })
    await liftHold(pool, 'olga')
    expect(await sendAll(pool, provider)).toMatchObject({ sent: 1 })
  })
})

describe('who asks', () => {
  test('may be an ordinary role', async () => {
    const { pool } = await freshDatabase()
    const role = `sendonce_test_${randomBytes(4).toString('hex')}`
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      await client.query(`CREATE ROLE ${role}; SET LOCAL ROLE ${role}`)
      const { rows } = await client.query<{ server: string }>('SELECT database_server() AS server')
      expect(rows[0]?.server).toMatch(/^\d{15,}\/\d+$/)
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })

  test('where it is not permitted, sending goes on, and once it was permitted, its loss is noticed', async () => {
    const { pool } = await freshDatabase()
    await makeDueCampaign(pool, { prospects: 1 })
    const role = `sendonce_test_${randomBytes(4).toString('hex')}`
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      await client.query(`CREATE ROLE ${role}; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role};
        GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}; GRANT USAGE ON SCHEMA public, test_support TO ${role};
        GRANT SELECT ON test_support.clock TO ${role};
        REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC; SET LOCAL ROLE ${role}`)
      expect(await noticeServer(client)).toEqual({ server: null, reason: 'FIRST' })
      expect(await noticeServer(client)).toBeUndefined()
      expect((await readHold(client)).isHeld).toBe(false)
      await client.query('RESET ROLE')
      expect(await noticeServer(client)).toMatchObject({ reason: 'CHANGED' })
      expect((await readHold(client)).isHeld).toBe(true)
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })
})

describe('on real servers', () => {
  const password = randomBytes(8).toString('hex')
  const quick = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', shared_buffers: '32MB' }

  async function folder(): Promise<string> {
    const path = await scratchFolder('restore')
    undo.push(() => rm(path, { recursive: true, force: true }))
    return path
  }

  async function start(dataFolder: string, settings: Record<string, string> = {}): Promise<EmbeddedPostgres> {
    const server = await startPostgres({
      dataFolder,
      logFile: `${dataFolder}.log`,
      password,
      preferredPort: 0,
      settings: { ...quick, ...settings },
    })
    undo.push(() => server.stop())
    return server
  }

  async function use<T>(server: EmbeddedPostgres, work: (pool: pg.Pool, url: string) => Promise<T>): Promise<T> {
    const url = server.urlOf('postgres')
    const pool = createPool(url, 5)
    try {
      return await work(pool, url)
    } finally {
      await pool.end()
    }
  }

  test('a backup that is restored to a moment sends nothing again, and says what may have been sent since', async () => {
    const home = await folder()
    const original = join(home, 'original')
    const restored = join(home, 'restored')
    const first = await start(original)
    let campaign: DueCampaign | undefined
    await use(first, async (pool, url) => {
      await applyMigrations({ connectionString: url })
      await runTick(pool, 'test', silent)
      campaign = await makeDueCampaign(pool, { prospects: 4 })
    })
    await first.stop()
    await cp(original, restored, { recursive: true, preserveTimestamps: true })
    await ownAlike(original, restored)

    // The original goes on after the backup: what it sends now, the backup cannot know.
    const second = await start(original)
    await use(second, (pool) => sendAll(pool, provider))
    expect(provider.handed).toHaveLength(4)
    await second.stop()

    await writeFile(join(restored, 'recovery.signal'), '')
    await ownAlike(original, restored)
    const afterwards = await start(restored, { restore_command: 'false' })
    await use(afterwards, async (pool, url) => {
      expect(await sendAll(pool, provider)).toMatchObject({ due: 0 })
      await runTick(pool, 'test', silent)
      expect(await sendAll(pool, provider)).toMatchObject({ due: 0 })
      expect(provider.handed).toHaveLength(4)
      const { rows } = await pool.query<{ server: string }>('SELECT server FROM server_sightings ORDER BY id')
      const [before, now] = rows.map(({ server }) => server.split('/'))
      expect(now?.[0]).toBe(before?.[0])
      expect([before?.[1], now?.[1]]).toEqual(['1', '2'])
      expect(await readMaybeSent(pool)).toMatchObject([{ campaign: 'Spring', emails: 4, doubt: 'IN_BETWEEN' }])

      const shown = runCommandProcess('doctor', ['--after-restore'], { DATABASE_URL: url })
      expect(await shown.ended).toBe(0)
      expect(shown.output()).toMatch(/Acme \/ Spring \/ \S+@acme\.test: 4\n\s+was planned in between/)
      const unasked = runCommandProcess('doctor', ['--after-restore', '--lift'], { DATABASE_URL: url })
      expect(await unasked.ended).toBe(1)
      expect(unasked.output()).toMatch(/Nobody is here to ask/)
      expect((await readHold(pool)).isHeld).toBe(true)
      const lifted = runCommandProcess('doctor', ['--after-restore', '--lift', '--yes'], { DATABASE_URL: url })
      expect(await lifted.ended).toBe(0)
      expect(lifted.output()).toMatch(/Sending goes on\./)
      expect((await readHold(pool)).isHeld).toBe(false)
      expect(await statusesOf(pool, campaign?.campaignId ?? '')).toEqual({ SCHEDULED: 4 })
    })
  })

  test('a dump that is restored on a new server is noticed as well', async () => {
    const { pool: old } = await freshDatabase()
    await runTick(old, 'test', silent)
    const { rows } = await old.query('SELECT * FROM server_sightings')
    const server = await start(join(await folder(), 'new'))
    await use(server, async (pool, url) => {
      await applyMigrations({ connectionString: url })
      await pool.query(
        'INSERT INTO server_sightings SELECT * FROM json_populate_recordset(NULL::server_sightings, $1)',
        [JSON.stringify(rows)],
      )
      // As pg_restore does it: the rows, and where their sequence stands.
      await pool.query(`SELECT setval(pg_get_serial_sequence('server_sightings', 'id'), max(id)) FROM server_sightings`)
      await makeDueCampaign(pool, { prospects: 2 })
      expect(await sendAll(pool, provider)).toMatchObject({ due: 0 })
      expect(await noticeServer(pool)).toMatchObject({ reason: 'CHANGED' })
    })
  })
})

/** As root, Postgres runs under another account, which must own the copy as it did the original. */
async function ownAlike(original: string, copy: string): Promise<void> {
  const { uid, gid } = await stat(original)
  const names = await readdir(copy, { recursive: true })
  await Promise.all([copy, ...names.map((name) => join(copy, name))].map((path) => chown(path, uid, gid)))
  await chmod(copy, 0o700)
}
