import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { readEnvironment } from '#lib/platform/env.ts'
import { applyMigrations } from '../migrate/apply.ts'
import { freePort } from '../ports.ts'
import { Problem } from '../problem.ts'
import { projectRoot } from '../project.ts'
import { type Child, startChild, type Variables } from './child.ts'
import { startCron } from './cron.ts'
import { type HomeDatabase, openHomeDatabase } from './database.ts'
import { ensureBuild, ensurePrismaClient } from './prepare.ts'
import { dataFolder, type HomeSettings, loadEnvFile, openHomeSettings } from './settings.ts'

export type Mode = 'production' | 'development'

const PREFERRED_PORT = 3000
const READY_SECONDS_MAX = 120

/** Everything that Sendonce needs, on one machine, until somebody stops it. */
export async function serve(mode: Mode): Promise<void> {
  const stopping = waitForStop()
  const undo: Undo[] = []
  try {
    await Promise.race([stopping, run(mode, stopping, undo)])
    say('\nStopping…')
  } finally {
    for (const step of undo.reverse()) await step()
  }
  say('Stopped. Everything is kept for the next start.')
}

type Undo = () => Promise<void> | void

async function run(mode: Mode, stopping: Promise<void>, undo: Undo[]): Promise<void> {
  // A stop that comes meanwhile must find nothing started behind its back.
  const unlessStopped = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work
    const stopped = await Promise.race([stopping.then(() => true), Promise.resolve(false)])
    return stopped ? new Promise<T>(() => undefined) : done
  }
  loadEnvFile()
  const settings = await openHomeSettings()
  mustBeWellFormed(settings)
  const database = await openHomeDatabase()
  undo.push(() => database.close())
  if (database.embedded) undo.push(await mustBeOnlyOne(database))
  const environment = await unlessStopped(chooseEnvironment(database, settings, mode))
  await unlessStopped(migrate(database))
  await unlessStopped(mode === 'production' ? ensureBuild(announceBuild) : ensurePrismaClient())

  const catcher = await startCatcher()
  undo.push(() => catcher.child.stop())
  const server = await startServer(mode, { ...environment, ...catcher.env })
  undo.push(() => server.stop())
  await unlessStopped(waitUntilReady(environment.PORT, server))
  const cron = startCron(`http://127.0.0.1:${environment.PORT}`, environment.CRON_SECRET, say)
  undo.push(() => cron.stop())

  announce(environment.APP_URL, catcher, database, mode)
  await Promise.race([mustNotEnd(server), mustNotEnd(catcher.child), mustNotBeLost(database)])
}

/** Two starts on one folder would serve one database with two crons and fight for the ports. */
async function mustBeOnlyOne(database: HomeDatabase): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: database.url })
  client.on('error', () => undefined) // mustNotBeLost tells
  await client.connect()
  const { rows } = await client.query<{ alone: boolean }>('SELECT pg_try_advisory_lock(7265100) AS alone')
  if (!rows[0]?.alone) {
    await client.end()
    throw new Problem(
      'Sendonce is already running from this folder. Stop it first (Ctrl-C where it runs), or use it as it is.',
    )
  }
  return () => client.end()
}

/** Everything that is wrong with the environment at once, before anything is started. */
function mustBeWellFormed(settings: HomeSettings): void {
  const reading = readEnvironment({ ...madeAtHome(settings), ...given() })
  const problems = reading.ok ? [] : reading.problems
  const port = Number(process.env.PORT || PREFERRED_PORT)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    problems.push('PORT is not a port number: use a whole number from 1 to 65535, or leave it unset.')
  }
  if (problems.length > 0) throw new Problem(problems.join('\n'))
}

/** What stands in for every required variable that is unset; the addresses are known once the parts are running. */
function madeAtHome(settings: HomeSettings) {
  return {
    DATABASE_URL: 'postgresql://localhost/home',
    APP_URL: 'http://localhost',
    CRON_SECRET: settings.cronSecret,
    AUTH_SECRET: settings.authSecret,
    ENCRYPTION_KEYS: settings.encryptionKeys,
  }
}

/** Empty counts as unset, as everywhere. */
function given(): Variables {
  return Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''))
}

async function chooseEnvironment(database: HomeDatabase, settings: HomeSettings, mode: Mode) {
  const wanted = Number(process.env.PORT || PREFERRED_PORT)
  const port = await freePort(wanted)
  if (port !== wanted) say(`Port ${wanted} is taken; using ${port}.`)
  return {
    ...madeAtHome(settings),
    APP_URL: `http://localhost:${port}`,
    ...given(),
    NODE_ENV: mode,
    NEXT_TELEMETRY_DISABLED: '1',
    DATABASE_URL: database.url,
    PORT: String(port),
  }
}

async function migrate(database: HomeDatabase): Promise<void> {
  try {
    const applied = await applyMigrations({ connectionString: database.url })
    if (applied.length > 0) say(`Applied ${applied.length} migration${applied.length === 1 ? '' : 's'}.`)
  } catch (error) {
    throw new Problem(
      `The database could not be brought up to date: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
    )
  }
}

type Catcher = { child: Child; url: string; smtpPort: number; env: Variables }

async function startCatcher(): Promise<Catcher> {
  const [smtpPort, httpPort] = [await freePort(1025), await freePort(8025)]
  const child = await startChild({
    name: 'The mail catcher',
    script: join(projectRoot, 'src/cli/catcher/main.ts'),
    args: ['--smtp-port', String(smtpPort), '--http-port', String(httpPort), '--dir', join(dataFolder(), 'mail')],
    env: {},
    logFile: join(dataFolder(), 'catcher.log'),
  })
  const url = `http://localhost:${httpPort}`
  return {
    child,
    url,
    smtpPort,
    env: {
      CATCHER_URL: process.env.CATCHER_URL || url,
      // So that a mailbox may be on the catcher; nothing else of this machine or its network.
      SMTP_ALLOW_PRIVATE_HOSTS: process.env.SMTP_ALLOW_PRIVATE_HOSTS || '127.0.0.1, localhost',
      ...systemMailbox(smtpPort),
    },
  }
}

/** The product's own mails go into the catcher, unless the environment names a real mailbox. */
function systemMailbox(smtpPort: number): Variables {
  if (process.env.SYSTEM_MAIL_URL) return {}
  return {
    SYSTEM_MAIL_URL: `smtp://127.0.0.1:${smtpPort}`,
    SYSTEM_MAIL_FROM: process.env.SYSTEM_MAIL_FROM || 'sendonce@localhost.localdomain',
  }
}

function startServer(mode: Mode, env: Variables): Promise<Child> {
  return startChild({
    name: 'The web server',
    script: join(projectRoot, 'node_modules/next/dist/bin/next'),
    args: [
      mode === 'production' ? 'start' : 'dev',
      '--hostname',
      process.env.HOST || '127.0.0.1',
      '--port',
      env.PORT ?? '',
    ],
    env,
    preload: join(projectRoot, 'src/cli/home/end-with-parent.mjs'),
    ...(mode === 'production' ? { logFile: join(dataFolder(), 'server.log') } : {}),
  })
}

async function waitUntilReady(port: string, server: Child): Promise<void> {
  let ended = false
  void server.ended.then(() => {
    ended = true
  })
  const deadline = Date.now() + READY_SECONDS_MAX * 1000
  while (!ended && Date.now() < deadline) {
    const response = await fetch(`http://127.0.0.1:${port}/api/health`, { signal: AbortSignal.timeout(30_000) }).catch(
      () => undefined,
    )
    if (response) return
    await sleep(100)
  }
  throw new Problem(`The web server did not start; ${join(dataFolder(), 'server.log')} tells why.`)
}

async function mustNotEnd(child: Child): Promise<void> {
  await child.ended
  throw new Problem(
    `${child.name} ended unexpectedly. Everything is kept; start again, and look into ${dataFolder()} for its log if it happens twice.`,
  )
}

async function mustNotBeLost(database: HomeDatabase): Promise<void> {
  await database.lost
  throw new Problem(
    `The embedded Postgres went away. Everything committed is kept; start again (its log is ${join(dataFolder(), 'postgres.log')}).`,
  )
}

/** The first request to stop is answered with a clean end; a second one, later, means it. */
function waitForStop(): Promise<void> {
  return new Promise((resolve) => {
    let askedAt = 0
    const ask = () => {
      if (askedAt && Date.now() - askedAt > 1_000) process.exit(130)
      askedAt ||= Date.now()
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask)
    // Whoever started us (npm, by way of bootstrap.mjs) was killed.
    process.on('disconnect', ask)
  })
}

function announce(appUrl: string, catcher: Catcher, database: HomeDatabase, mode: Mode): void {
  const address = new URL(database.url)
  address.password = ''
  say(`
Sendonce is running${mode === 'development' ? ', with hot reload' : ''}.

  Open it       ${appUrl}
  Caught mail   ${catcher.url}  (SMTP on port ${catcher.smtpPort}; nothing leaves this machine)
  Database      ${address.href}
  Kept in       ${dataFolder()}

Press Ctrl-C to stop.
`)
}

function announceBuild(): void {
  say('Building the pages (only when something has changed)…')
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
