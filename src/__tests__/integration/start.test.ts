import { chmod, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort, startOnFreePort } from '#cli/ports.ts'
import { startPostgres } from '#cli/postgres/server.ts'
import { type Command, runCommandProcess } from '#tests/support/server/command.ts'

let folder = ''
const started: Command[] = []

function start(env: Record<string, string> = {}): Command {
  const command = runCommandProcess('start', ['--no-demo'], { DATA_DIR: folder, ...env })
  started.push(command)
  return command
}

async function running(command: Command, dataFolder = folder) {
  await command.says(/Press Ctrl-C/)
  const address = (pattern: RegExp) => command.output().match(pattern)?.[1] ?? ''
  const { databasePassword } = JSON.parse(await readFile(join(dataFolder, 'settings.json'), 'utf8'))
  return {
    app: address(/Open it\s+(\S+)/),
    catcher: new URL(address(/Caught mail\s+(\S+)/)),
    database: address(/Database\s+(\S+)/).replace('sendonce@', `sendonce:${databasePassword}@`),
  }
}

async function sql(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

const postgresIn = (home: string) => ({
  ...{ dataFolder: join(home, 'postgres'), logFile: join(home, 'postgres.log'), password: 'x'.repeat(20) },
  preferredPort: 0,
})

const answers = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )

async function goesSilent(url: string): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (!(await answers(url))) return true
    await sleep(50)
  }
  return false
}

/** What another account of the machine could read or list. Through the folder itself the account of Postgres passes. */
async function openToOthers(): Promise<string[]> {
  const open: string[] = (await stat(folder)).mode & 0o066 ? ['.'] : []
  for (const name of await readdir(folder)) {
    if ((await stat(join(folder, name))).mode & 0o077) open.push(name)
  }
  return open
}

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return server
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sendonce-start-'))
  await chmod(folder, 0o755)
})

afterAll(async () => {
  for (const command of started) command.process.kill('SIGTERM')
  await Promise.all(started.map((command) => command.ended))
  await rm(folder, { recursive: true, force: true })
})

describe('npm start', () => {
  test('serves, ticks, keeps everything over a SIGKILL, and stops cleanly', async () => {
    const port = String(await freePort(0))
    const first = start({ PORT: port })
    const before = await running(first)
    expect(before.app).toBe(`http://localhost:${port}`)
    await expect
      .poll(async () => (await (await fetch(`${before.app}/api/health`)).json()).data)
      .toMatchObject({
        status: 'ok',
        database: { ok: true },
        migrations: { ok: true, pending: 0 },
        lastTick: { ok: true },
      })
    expect((await fetch(before.catcher, { redirect: 'manual' })).status).toBe(303)
    expect((await fetch(before.catcher.origin)).status).toBe(401)
    await expect(
      sql(before.database, `INSERT INTO workspaces (id, name) VALUES ('reader@example.com', 'kept')`),
    ).rejects.toThrow('reader@example.com')
    expect(await readFile(join(folder, 'postgres.log'), 'utf8')).not.toContain('reader@example.com')
    expect(await openToOthers()).toEqual([])
    await sql(before.database, `INSERT INTO workspaces (id, name) VALUES (gen_random_uuid(), 'kept')`)

    const second = start({ PORT: port })
    expect(await second.ended).toBe(1)
    expect(second.output()).toMatch(/^Sendonce is already running from this folder\./m)
    expect(second.output()).not.toMatch(/\n\s+at /)

    first.process.kill('SIGKILL')
    await first.ended
    expect(await goesSilent(`${before.app}/api/health`)).toBe(true)
    expect(await goesSilent(before.catcher.origin)).toBe(true)

    const third = start({ PORT: port })
    const after = await running(third)
    expect(await sql(after.database, 'SELECT name FROM workspaces')).toEqual([{ name: 'kept' }])
    third.process.kill('SIGINT')
    expect(await third.ended).toBe(0)
    expect(third.output()).toMatch(/Stopped\. Everything is kept/)
    await expect(sql(after.database, 'SELECT 1')).rejects.toThrow()
    expect(await answers(`${after.app}/api/health`)).toBe(false)
  })

  test('twice at once in an empty folder: one runs, and the other says so in a sentence', async () => {
    const fresh = await mkdtemp(join(tmpdir(), 'sendonce-start-'))
    await chmod(fresh, 0o755)
    const PORT = String(await freePort(0))
    const commands = [start({ PORT, DATA_DIR: fresh }), start({ PORT, DATA_DIR: fresh })] as const
    const loser = await Promise.race(commands.map((command) => command.ended.then(() => command)))
    expect(loser.output()).toMatch(/^Sendonce is already running from this folder\./m)
    expect(loser.output()).not.toMatch(/\n\s+at /)
    const winner = commands.find((command) => command !== loser) as Command
    const { app } = await running(winner, fresh)
    expect((await fetch(`${app}/api/health`)).status).toBe(200)
    expect((await readdir(fresh)).filter((name) => name.startsWith('postgres-') || name.endsWith('.new'))).toEqual([])
    winner.process.kill('SIGTERM')
    expect(await winner.ended).toBe(0)
    await rm(fresh, { recursive: true, force: true })
  })

  test('a number in a pid file that is another Postgres’s by now keeps nobody waiting', async () => {
    const [other, fresh] = [
      await mkdtemp(join(tmpdir(), 'sendonce-start-')),
      await mkdtemp(join(tmpdir(), 'sendonce-start-')),
    ]
    for (const each of [other, fresh]) await chmod(each, 0o755)
    const stranger = await startPostgres(postgresIn(other))
    await (await startPostgres(postgresIn(fresh))).stop()
    const strangers = await readFile(join(await realpath(join(other, 'postgres')), 'postmaster.pid'), 'utf8')
    await writeFile(join(await realpath(join(fresh, 'postgres')), 'postmaster.pid'), strangers)
    const own = await startPostgres(postgresIn(fresh))
    expect(own.port).not.toBe(stranger.port)
    expect(await sql(stranger.urlOf('postgres'), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await Promise.all([own.stop(), stranger.stop()])
    for (const each of [other, fresh]) await rm(each, { recursive: true, force: true })
  })

  test('takes free ports where others are taken, and says so, also twice in the same moment', async () => {
    const stranger = await listen(0)
    const port = portOf(stranger)
    const second = await mkdtemp(join(tmpdir(), 'sendonce-start-'))
    await chmod(second, 0o755)
    // On the very same ports: each of database, catcher and pages finds its own all the same.
    const commands = [start({ PORT: String(port) }), start({ PORT: String(port), DATA_DIR: second })]
    const addresses = await Promise.all([running(commands[0] as Command), running(commands[1] as Command, second)])
    for (const [index, { app, catcher }] of addresses.entries()) {
      expect(commands[index]?.output()).toMatch(new RegExp(`Port ${port} is taken; using \\d+\\.`))
      expect((await fetch(`${app}/api/health`)).status).toBe(200)
      expect((await fetch(catcher, { redirect: 'manual' })).status).toBe(303)
    }
    const ports = addresses.flatMap(({ app, catcher, database }) =>
      [app, catcher, database].map((url) => new URL(url).port),
    )
    expect(new Set([...ports, String(port)]).size).toBe(7)
    for (const command of commands) command.process.kill('SIGTERM')
    expect(await Promise.all(commands.map(({ ended }) => ended))).toEqual([0, 0])
    stranger.close()
    await rm(second, { recursive: true, force: true })
  })
})

describe('a port that another program takes between the look and the listening', () => {
  test('is given up for another one', async () => {
    const strangers: Server[] = []
    const taken: number[] = []
    const got = await startOnFreePort(0, async (port) => {
      if (taken.length === 2) return port
      taken.push(port)
      strangers.push(await listen(port))
      throw new Error('it is taken')
    })
    expect([...taken, got]).toHaveLength(new Set([...taken, got]).size)
    for (const stranger of strangers) stranger.close()
  })

  test('but what fails on a port that is free fails, once', async () => {
    let starts = 0
    const start = startOnFreePort(0, async () => {
      starts += 1
      throw new Error('the disk is full')
    })
    await expect(start).rejects.toThrow('the disk is full')
    expect(starts).toBe(1)
  })
})

describe('a wrong configuration stops the start with one sentence', () => {
  test.each([
    ['a malformed DATABASE_URL', { DATABASE_URL: 'localhost/sendonce' }, /^DATABASE_URL is not a Postgres address/],
    [
      'a server that is not there',
      { DATABASE_URL: 'postgresql://a:b@127.0.0.1:1/x' },
      /^The Postgres of DATABASE_URL cannot be used: nothing listens there/,
    ],
    [
      'a host that is not known',
      { DATABASE_URL: 'postgresql://a:b@no-such-host.invalid/x' },
      /^The Postgres of DATABASE_URL cannot be used: its host name is not known/,
    ],
    ['a short CRON_SECRET', { CRON_SECRET: 'short' }, /^CRON_SECRET is too short/],
    ['a PORT that is none', { PORT: 'http' }, /^PORT is not a port number/],
    ['an unknown LOG_LEVEL', { LOG_LEVEL: 'loud' }, /^LOG_LEVEL is not one of/],
  ])('%s', async (_what, env, sentence) => {
    const command = start(env)
    expect(await command.ended).toBe(1)
    expect(command.output()).toMatch(sentence)
    expect(command.output().trim().split('\n')).toHaveLength(1)
  })

  test('and several wrong things with a sentence each, at once', async () => {
    const command = start({ DATABASE_URL: 'localhost', CRON_SECRET: 'short', PORT: '0', LOG_LEVEL: 'loud' })
    expect(await command.ended).toBe(1)
    const lines = command.output().trim().split('\n')
    expect(lines).toEqual([
      expect.stringMatching(/^DATABASE_URL is not/),
      expect.stringMatching(/^CRON_SECRET is too short/),
      expect.stringMatching(/^LOG_LEVEL is not/),
      expect.stringMatching(/^PORT is not/),
    ])
  })

  test('a worker without the environment of a server says what is missing, and that at home none is needed', async () => {
    const command = runCommandProcess('worker', [], {})
    started.push(command)
    expect(await command.ended).toBe(1)
    expect(command.output()).toMatch(/^DATABASE_URL is missing/)
    expect(command.output().trim()).toMatch(/\nBeside npm start no worker is needed: it ticks by itself\.[^\n]*$/)
  })

  test('a data folder that cannot be made', async () => {
    const file = join(folder, 'a-file')
    await writeFile(file, '')
    const command = start({ DATA_DIR: join(file, 'data') })
    expect(await command.ended).toBe(1)
    expect(command.output()).toMatch(/^The data folder .* cannot be made\..*Set DATA_DIR/)
  })
})
