import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '#cli/ports.ts'
import { endsWithUs, hasEnded } from '#tests/support/server/reaper.ts'
import { until } from './waiting.ts'

/** Why this machine cannot run one; undefined where it can. */
export function missingForPgBouncer(): string | undefined {
  return pgBouncerVersion() ? undefined : 'PgBouncer is not installed. On Debian: apt-get install pgbouncer'
}

export function pgBouncerVersion(): string | undefined {
  const found = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' })
  return /PgBouncer (\S+)/.exec(found.stdout ?? '')?.[1]
}

/** A PgBouncer in transaction mode before one server, with fewer backends than its clients have connections. */
export class PgBouncer {
  readonly #folder: string
  readonly #port: number
  #process: ChildProcess | undefined
  #log = ''

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
  }

  static async start(serverUrl: string): Promise<PgBouncer> {
    const { hostname, port, username, password } = new URL(serverUrl)
    const folder = mkdtempSync(join(tmpdir(), 'sendonce-pgbouncer-'))
    // It does not run as root, and its other account must get in.
    chmodSync(folder, 0o755)
    const listen = await freePort(0)
    const secret = password === '' ? '' : ` password=${decodeURIComponent(password)}`
    writeFileSync(
      join(folder, 'pgbouncer.ini'),
      `[databases]
* = host=${hostname} port=${port || 5432} user=${decodeURIComponent(username)}${secret}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 6
max_client_conn = 500
server_round_robin = 1
server_login_retry = 1
`,
    )
    const bouncer = new PgBouncer(folder, listen)
    await bouncer.#run(serverUrl)
    return bouncer
  }

  /** The way through it to a database of its server. */
  through(databaseUrl: string): string {
    const url = new URL(databaseUrl)
    url.host = `127.0.0.1:${this.#port}`
    return url.href
  }

  get port(): number {
    return this.#port
  }

  /** As an upgrade of it does: every connection through it is lost. */
  async restart(serverUrl: string): Promise<void> {
    await this.#end()
    await this.#run(serverUrl)
  }

  async stop(): Promise<void> {
    await this.#end()
    rmSync(this.#folder, { recursive: true, force: true })
    hasEnded({ folder: this.#folder })
  }

  async #run(serverUrl: string): Promise<void> {
    const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
    const child = spawn('pgbouncer', [...account, join(this.#folder, 'pgbouncer.ini')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#process = child
    endsWithUs({ folder: this.#folder, ...(child.pid && { pid: child.pid }) })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#log = `${this.#log}${text}`.slice(-10_000)
      })
    await until(
      () => `PgBouncer answers:\n${this.#log}`,
      async () => {
        const client = new pg.Client(this.through(serverUrl))
        client.on('error', () => undefined)
        try {
          await client.connect()
          return true
        } catch {
          return false
        } finally {
          await client.end().catch(() => undefined)
        }
      },
    )
  }

  async #end(): Promise<void> {
    const child = this.#process
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    // SIGTERM is immediate up to 1.22 and waits for its clients from 1.23 on; SIGQUIT is immediate there.
    await new Promise<void>((ended) => {
      child.once('exit', () => ended())
      child.kill('SIGKILL')
    })
    if (child.pid) hasEnded({ pid: child.pid })
  }
}
