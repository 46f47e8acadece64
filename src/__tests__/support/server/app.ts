import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { type Child, startChild } from '#cli/home/child.ts'
import { freePort } from '#cli/ports.ts'
import { projectRoot } from '#cli/project.ts'
import { createTestDatabase, dropTestDatabase } from './database.ts'

export type TestApp = {
  url: string
  /** An address in the mail catcher, with its token. */
  inCatcher(path: string): string
  /** What the catcher's API answers. */
  askCatcher(path: string): Promise<unknown>
  /** Of the catcher: what a mailbox of the product may send to. */
  smtpPort: number
  databaseUrl: string
  cronSecret: string
  serverPid: number
  /** What the server has written so far. */
  serverLog(): Promise<string>
  /** From here on mails find no server, until `startMail`. */
  stopMail(): Promise<void>
  startMail(): Promise<void>
  /** For what no person can do: the passing of time, say. */
  sql(text: string, values?: unknown[]): Promise<void>
}

const PORT_TRIES = 3
const CATCHER_TOKEN = 'a-token-for-this-test-only'

/** The product as shipped, in processes of its own, on a database of its own, with a mail catcher; `env` adds to the server's, and may be known only then. */
export function testApp(env: Record<string, string> | (() => Record<string, string>) = {}): TestApp {
  let folder = ''
  let httpPort = 0
  let catcher: Child | undefined
  let server: Child | undefined

  const app: TestApp = {
    url: '',
    inCatcher(path) {
      const url = new URL(path, `http://localhost:${httpPort}`)
      url.searchParams.set('token', CATCHER_TOKEN)
      return url.href
    },
    askCatcher: async (path) => {
      const headers = { authorization: `Bearer ${CATCHER_TOKEN}` }
      return (await fetch(`http://localhost:${httpPort}${path}`, { headers })).json()
    },
    smtpPort: 0,
    databaseUrl: '',
    cronSecret: 'a-secret-for-this-test-only',
    serverPid: 0,
    serverLog: () => readFile(join(folder, 'server.log'), 'utf8'),
    async stopMail() {
      await catcher?.stop()
    },
    async startMail() {
      const started = await startChild({
        name: 'catcher',
        script: join(projectRoot, 'src/catcher/main.ts'),
        args: ['--smtp-port', String(app.smtpPort), '--http-port', String(httpPort), '--dir', join(folder, 'mail')],
        env: { CATCHER_TOKEN },
        logFile: join(folder, 'catcher.log'),
      })
      if (!(await answersWhileAlive(app.inCatcher('/'), started))) throw new Error('the catcher did not start')
      catcher = started
    },
    async sql(text, values) {
      const client = new pg.Client({ connectionString: app.databaseUrl })
      await client.connect()
      await client.query(text, values).finally(() => client.end())
    },
  }

  async function startServer(): Promise<void> {
    const port = await freePort(0)
    app.url = `http://localhost:${port}`
    const started = await startChild({
      name: 'server',
      script: join(projectRoot, 'node_modules/next/dist/bin/next'),
      args: ['start', '--hostname', '127.0.0.1', '--port', String(port)],
      env: {
        NODE_ENV: 'production',
        NEXT_TELEMETRY_DISABLED: '1',
        // As shipped, whatever the suite's own processes say: it is written into a file, and tests read it.
        LOG_LEVEL: 'info',
        DATABASE_URL: app.databaseUrl,
        CRON_SECRET: app.cronSecret,
        APP_URL: app.url,
        AUTH_SECRET: 'a-secret-for-sessions-in-this-test-only',
        ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
        SYSTEM_MAIL_URL: `smtp://127.0.0.1:${app.smtpPort}`,
        SYSTEM_MAIL_FROM: 'sendonce@example.com',
        SMTP_ALLOW_PRIVATE_HOSTS: '127.0.0.1, localhost',
        WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1, localhost',
        CATCHER_URL: app.inCatcher('/'),
        ...(typeof env === 'function' ? env() : env),
      },
      logFile: join(folder, 'server.log'),
      preload: join(projectRoot, 'src/cli/home/end-with-parent.mjs'),
    })
    if (!(await answersWhileAlive(`${app.url}/api/health`, started))) return
    server = started
    app.serverPid = started.process.pid ?? 0
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sendonce-app-'))
    app.databaseUrl = await createTestDatabase()
    for (let tries = 0; tries < PORT_TRIES && !catcher; tries += 1) {
      app.smtpPort = await freePort(0)
      httpPort = await freePort(0)
      await app.startMail().catch(() => undefined)
    }
    for (let tries = 0; tries < PORT_TRIES && !server; tries += 1) await startServer()
    if (!catcher || !server) throw new Error('neither try found ports that stayed free')
  })

  afterAll(async () => {
    if (process.env.SERVER_LOG) await copyFile(join(folder, 'server.log'), process.env.SERVER_LOG)
    await server?.stop()
    await catcher?.stop()
    await dropTestDatabase(app.databaseUrl)
    await rm(folder, { recursive: true, force: true })
  })

  return app
}

/** False where it ended instead: a port that was free a moment ago may be another process's by now. */
async function answersWhileAlive(url: string, child: Child): Promise<boolean> {
  let hasEnded = false
  void child.ended.then(() => {
    hasEnded = true
  })
  for (let tries = 0; tries < 600 && !hasEnded; tries += 1) {
    if (await fetch(url).catch(() => undefined)) return true
    await sleep(50)
  }
  return false
}
