import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { open, readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startOnFreePort } from '../ports.ts'
import { Problem } from '../problem.ts'
import { findServerAccount, type ServerAccount } from './account.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { ensureCluster, SUPERUSER } from './cluster.ts'
import { registerUse } from './use.ts'

export type EmbeddedPostgres = {
  pid: number
  port: number
  /** The address of a database on it. */
  urlOf(database: string): string
  /** Stops it, unless another command still uses it. */
  stop(): Promise<void>
  /** Settles when the server goes away by itself. */
  lost: Promise<void>
}

type Options = {
  /** Where the data is kept; made on first use. */
  dataFolder: string
  logFile: string
  password: string
  preferredPort: number
  /** Settings of postgresql.conf, for this run. */
  settings?: Record<string, string>
}

const START_SECONDS_MAX = 60

/**
 * Addresses, texts and tokens are in what statements are given, in what a refusal repeats ("Failing row contains…") and
 * in the details of a crash. The log is for how the server is; who asked hears of a refusal in full, and logs it.
 */
const LOGS_WITHOUT_VALUES = {
  log_min_messages: 'log', // above error and warning, in the order of the log
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
}

/**
 * Starts the bundled Postgres on `dataFolder`. A server that was left behind there when its starter was killed is
 * taken over: it has lost nothing, and a second one on the same data would be refused. Several commands may share a
 * server; the last of them stops it.
 */
export async function startPostgres(options: Options): Promise<EmbeddedPostgres> {
  const account = findServerAccount()
  const binaries = await findBinaries(account)
  const folder = await ensureCluster(options.dataFolder, options.password, binaries, account)
  const urlFor = (port: number) => (database: string) =>
    `postgresql://${SUPERUSER}:${options.password}@127.0.0.1:${port}/${database}`
  const { pid, port } = (await findRunning(folder, urlFor)) ?? (await startOrJoin())
  async function startOrJoin() {
    try {
      return await startNew(binaries, account, folder, urlFor, options)
    } catch (error) {
      // Another command may have started it in the same moment: that one answers by now.
      const found = await findRunning(folder, urlFor)
      if (!found) throw error
      return found
    }
  }
  const use = await registerUse(urlFor(port)('postgres'))
  const stop = async () => {
    if (await use.endsAsLast()) await stopProcess(pid)
  }
  return { pid, port, urlOf: urlFor(port), stop, lost: use.lost }
}

async function startNew(
  binaries: Binaries,
  account: ServerAccount | undefined,
  folder: string,
  urlFor: (port: number) => (database: string) => string,
  options: Options,
): Promise<{ pid: number; port: number }> {
  return await startOnFreePort(options.preferredPort, async (port) => {
    const child = await spawnServer(binaries, account, folder, port, options)
    await waitUntilReady(child, urlFor(port)('postgres'), options.logFile)
    // From now on it answers for itself, and must not keep a short command from ending.
    child.unref()
    return { pid: child.pid ?? 0, port }
  })
}

async function spawnServer(
  binaries: Binaries,
  account: ServerAccount | undefined,
  folder: string,
  port: number,
  options: Options,
): Promise<ChildProcess> {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(port),
    max_connections: '200',
    ...LOGS_WITHOUT_VALUES,
    ...options.settings,
  }
  const log = await open(options.logFile, 'a')
  const child = spawn(
    binaries.postgres,
    ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      uid: account?.uid,
      gid: account?.gid,
      cwd: '/',
      stdio: ['ignore', log.fd, log.fd],
      // A group of its own: Ctrl-C in the terminal must reach us, who stop it last, and not Postgres directly.
      detached: true,
    },
  )
  child.on('error', () => undefined) // told by waitUntilReady
  await log.close()
  return child
}

async function waitUntilReady(child: ChildProcess, url: string, logFile: string): Promise<void> {
  const deadline = Date.now() + START_SECONDS_MAX * 1000
  while (Date.now() < deadline) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) break
    if (await answers(url)) return
    await sleep(25)
  }
  if (child.pid && child.exitCode === null) child.kill('SIGQUIT')
  const said = (await readFile(logFile, 'utf8').catch(() => '')).trim().split('\n').slice(-3).join('\n  ')
  throw new Problem(`The embedded Postgres did not start. It said:\n  ${said}\n(The whole log is ${logFile}.)`)
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => undefined) // a server that is still starting closes the connection
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** A live server on this very folder, if there is one. A pid file without one is stale and in the way (its number may be another process's by now). */
async function findRunning(
  folder: string,
  urlFor: (port: number) => (database: string) => string,
): Promise<{ pid: number; port: number } | undefined> {
  const pidFile = join(folder, 'postmaster.pid')
  const lines = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n')
  const [pid, port] = [Number(lines[0]), Number(lines[3])]
  if (!pid) return undefined
  if (!isPostgresOf(pid, folder)) {
    await rm(pidFile, { force: true })
    return undefined
  }
  const deadline = Date.now() + START_SECONDS_MAX * 1000
  while (Date.now() < deadline && isPostgresOf(pid, folder)) {
    if (port && (await servesFolder(urlFor(port)('postgres'), folder))) return { pid, port }
    await sleep(200)
  }
  if (!isPostgresOf(pid, folder)) return findRunning(folder, urlFor)
  throw new Problem(`Another Postgres (process ${pid}) holds ${folder} and does not answer. Stop it and try again.`)
}

async function servesFolder(url: string, folder: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ folder: string }>(`SELECT current_setting('data_directory') AS folder`)
    return rows[0]?.folder === folder || rows[0]?.folder === (await realpath(folder))
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * Numbers come around, in containers soon: the one of a pid file may be another Postgres's by now, or that of a process
 * that has ended and whom nobody has taken note of. Linux tells with what a process was started, and in which folder it
 * works.
 */
export function isPostgresOf(pid: number, folder: string): boolean {
  if (existsSync('/proc/self/cmdline')) {
    const given = unlessUnreadable(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'))
    if (given?.includes(folder)) return true
    // In containers root may not look at another account's.
    const folderOf = unlessUnreadable(() => realpathSync(`/proc/${pid}/cwd`))
    return folderOf !== undefined && folderOf === unlessUnreadable(() => realpathSync(folder))
  }
  const asked = spawnSync('ps', ['-p', String(pid), '-o', 'stat=,comm='], { encoding: 'utf8' })
  if (asked.error) return isAlive(pid) // no ps on this machine
  return asked.stdout.includes('postgres') && !asked.stdout.trim().startsWith('Z')
}

function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** SIGINT is Postgres's fast shutdown: open transactions are rolled back, everything committed is on disk. */
async function stopProcess(pid: number): Promise<void> {
  if (!isAlive(pid)) return
  process.kill(pid, 'SIGINT')
  const deadline = Date.now() + 30_000
  while (Date.now() < deadline) {
    if (!isAlive(pid)) return
    await sleep(20)
  }
  process.kill(pid, 'SIGQUIT')
}
