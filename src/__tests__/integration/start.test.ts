import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '#cli/ports.ts'
import { type Command, runCommandProcess } from '#tests/support/command.ts'

let folder = ''
const started: Command[] = []

function start(env: Record<string, string> = {}): Command {
  const command = runCommandProcess('start', [], { DATA_DIR: folder, ...env })
  started.push(command)
  return command
}

async function running(command: Command) {
  await command.says(/Press Ctrl-C/)
  const address = (pattern: RegExp) => command.output().match(pattern)?.[1] ?? ''
  const { databasePassword } = JSON.parse(await readFile(join(folder, 'settings.json'), 'utf8'))
  return {
    app: address(/Open it\s+(\S+)/),
    catcher: address(/Caught mail\s+(\S+)/),
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
      .poll(async () => (await (await fetch(`${before.app}/api/health`)).json()).data, { timeout: 10_000 })
      .toMatchObject({
        status: 'ok',
        database: { ok: true },
        migrations: { ok: true, pending: 0 },
        lastTick: { ok: true },
      })
    expect(await answers(`${before.catcher}/api/messages`)).toBe(true)
    await sql(before.database, `INSERT INTO workspaces (id, name) VALUES (gen_random_uuid(), 'kept')`)

    const second = start({ PORT: port })
    expect(await second.ended).toBe(1)
    expect(second.output()).toMatch(/^Sendonce is already running from this folder\./m)
    expect(second.output()).not.toMatch(/\n\s+at /)

    first.process.kill('SIGKILL')
    await first.ended
    expect(await goesSilent(`${before.app}/api/health`)).toBe(true)
    expect(await goesSilent(`${before.catcher}/api/messages`)).toBe(true)

    const third = start({ PORT: port })
    const after = await running(third)
    expect(await sql(after.database, 'SELECT name FROM workspaces')).toEqual([{ name: 'kept' }])
    third.process.kill('SIGINT')
    expect(await third.ended).toBe(0)
    expect(third.output()).toMatch(/Stopped\. Everything is kept/)
    await expect(sql(after.database, 'SELECT 1')).rejects.toThrow()
    expect(await answers(`${after.app}/api/health`)).toBe(false)
  })

  test('takes a free port where somebody has the wanted one, and says so', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const address = taken.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const command = start({ PORT: String(port) })
    const { app } = await running(command)
    expect(command.output()).toMatch(new RegExp(`Port ${port} is taken; using \\d+\\.`))
    expect(app).not.toBe(`http://localhost:${port}`)
    expect((await fetch(`${app}/api/health`)).status).toBe(200)
    command.process.kill('SIGTERM')
    expect(await command.ended).toBe(0)
    taken.close()
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
