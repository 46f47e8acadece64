import { join } from 'node:path'
import pg from 'pg'
import { readEnvironment } from '#lib/platform/env.ts'
import { demoFolder, readDemo } from '../demo/home.ts'
import { serveDemo } from '../demo/serve-demo.ts'
import { applyMigrations } from '../migrate/apply.ts'
import { startOnFreePort } from '../ports.ts'
import { Problem } from '../problem.ts'
import { type HomeCatcher, startCatcher } from './catcher.ts'
import type { Child, Variables } from './child.ts'
import { startCron } from './cron.ts'
import { type HomeDatabase, openHomeDatabase } from './database.ts'
import { ensureBuild, ensureDevelopment } from './prepare.ts'
import { dataFolder, type HomeSettings, loadEnvFile, openHomeSettings, witnessFolder } from './settings.ts'
import { addressFrom, hostGiven, type Mode, startWebServer, waitUntilReady } from './web-server.ts'

const PREFERRED_PORT = 3000

/** `at-first`: it is made at the first start of an installation of our own, and served as long as it is there. */
export type DemoWish = 'yes' | 'no' | 'at-first'

/** Everything that Sendonce needs, on one machine, until it is stopped. */
export async function serve(mode: Mode, demo: DemoWish): Promise<void> {
  const stopping = waitForStop()
  const undo: Undo[] = []
  try {
    await Promise.race([stopping, run(mode, demo, stopping, undo)])
    say('\nStopping…')
  } finally {
    for (const step of undo.reverse()) await step()
  }
  say('Stopped. Everything is kept for the next start.')
}

type Undo = () => Promise<void> | void

async function run(mode: Mode, wish: DemoWish, stopping: Promise<void>, undo: Undo[]): Promise<void> {
  // A stop that comes during the start must find nothing started behind its back.
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
  await unlessStopped(migrate(database))
  await unlessStopped(mode === 'production' ? ensureBuild(announceBuild) : ensureDevelopment())

  const stopLater = async (child: Child) => {
    undo.push(() => child.stop())
    await unlessStopped(Promise.resolve())
  }
  const catcher = await startCatcher(settings.catcherToken, stopLater)
  const wantedPort = Number(process.env.PORT || PREFERRED_PORT)
  const { server, environment } = await startOnFreePort(wantedPort, async (port) => {
    if (port !== wantedPort) say(`Port ${wantedPort} ${whyNotTaken(wantedPort)}; using ${port}.`)
    const environment = environmentOn(port, database, settings, mode)
    const server = await startWebServer(mode, port, { ...environment, ...catcher.env })
    await stopLater(server)
    await unlessStopped(waitUntilReady(port, server))
    return { server, environment }
  })
  const cron = startCron(addressFrom(hostGiven(), environment.PORT), environment.CRON_SECRET, say)
  undo.push(() => cron.stop())

  announce(environment.APP_URL, catcher, database, mode)
  if (await isDemoWanted(wish, database)) {
    const ending = new AbortController()
    const mainUrl = environment.APP_URL
    const served = serveDemo({ databaseUrl: database.url, mainUrl, say, stopping: ending.signal })
    undo.push(async () => {
      ending.abort()
      await served
    })
  }
  await Promise.race([mustNotEnd(server), mustNotEnd(catcher.child), mustNotBeLost(database)])
}

/** Never by itself on a server of the user's own, and not where people are at work already. */
async function isDemoWanted(wish: DemoWish, { embedded, isNew }: HomeDatabase): Promise<boolean> {
  if (wish !== 'at-first') return wish === 'yes'
  return embedded && (isNew || (await readDemo()) !== null)
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

/** Systems keep the low ones for root. */
function whyNotTaken(port: number): string {
  return port < 1024 && process.getuid?.() !== 0 ? 'is taken, or may not be opened by this account' : 'is taken'
}

/** Empty counts as unset, as everywhere. */
function given(): Variables {
  return Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''))
}

function environmentOn(port: number, database: HomeDatabase, settings: HomeSettings, mode: Mode) {
  return {
    ...madeAtHome(settings),
    APP_URL: `http://localhost:${port}`,
    ...given(),
    WITNESS_DIR: witnessFolder(),
    DEMO_DIR: demoFolder(),
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
    // The process that started us (npm, by way of bootstrap.mjs) was killed.
    process.on('disconnect', ask)
  })
}

function announce(appUrl: string, catcher: HomeCatcher, database: HomeDatabase, mode: Mode): void {
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
