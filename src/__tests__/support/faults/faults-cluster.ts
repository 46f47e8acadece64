import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type EmbeddedPostgres, startPostgres } from '#cli/postgres/server.ts'
import { endsWithUs, hasEnded } from '#tests/support/server/reaper.ts'
import { scratchFolder } from '#tests/support/server/scratch.ts'
import { prepareTestDatabase } from '#tests/support/server/test-server.ts'
import { until } from './waiting.ts'

/** A Postgres that a test may restart: it loses nothing that it has committed, and keeps its port. */
export class Cluster {
  readonly #folder: string
  readonly #dataFolder: string
  readonly #settings: Record<string, string>
  readonly #password = randomBytes(12).toString('hex')
  #server: EmbeddedPostgres | undefined

  private constructor(folder: string, settings: Record<string, string>) {
    this.#folder = folder
    this.#settings = settings
    this.#dataFolder = join(folder, 'postgres')
  }

  static async start(settings: Record<string, string> = {}): Promise<Cluster> {
    const cluster = new Cluster(await scratchFolder('cluster'), settings)
    await cluster.#start(0)
    await prepareTestDatabase(cluster.url)
    return cluster
  }

  get url(): string {
    if (!this.#server) throw new Error('the cluster is not running')
    return this.#server.urlOf('postgres')
  }

  /** `shutdown` rolls back what is open; `crash` ends it in the middle of whatever it does. */
  async restart(how: 'shutdown' | 'crash', downMs: number): Promise<void> {
    const port = this.#server?.port ?? 0
    await this.#end(how)
    await new Promise((done) => setTimeout(done, downMs))
    await this.#start(port)
  }

  /** Keeps the data as it is now, as a disk's snapshot would. */
  async snapshot(): Promise<void> {
    const port = this.#server?.port ?? 0
    await this.#end('shutdown')
    const data = await realpath(this.#dataFolder)
    await rm(`${data}.snapshot`, { recursive: true, force: true })
    await copyWithOwners(data, `${data}.snapshot`)
    await this.#start(port)
  }

  /** The data is that of the snapshot again, and everything since forgotten. */
  async goBack(): Promise<void> {
    const port = this.#server?.port ?? 0
    const data = await realpath(this.#dataFolder)
    await this.#end('crash')
    await rm(data, { recursive: true })
    await copyWithOwners(`${data}.snapshot`, data)
    await this.#start(port)
  }

  async stop(): Promise<void> {
    await this.#end('shutdown')
    await rm(`${await realpath(this.#dataFolder)}.snapshot`, { recursive: true, force: true })
    await rm(this.#folder, { recursive: true, force: true })
    hasEnded({ folder: this.#folder })
  }

  async #start(port: number): Promise<void> {
    this.#server = await startPostgres({
      dataFolder: this.#dataFolder,
      logFile: join(this.#folder, 'postgres.log'),
      password: this.#password,
      preferredPort: port,
      // The machine itself does not go down, so what Postgres has written is there; that it writes at each commit stays.
      settings: { fsync: 'off', ...this.#settings },
    })
    if (port !== 0 && this.#server.port !== port) throw new Error('the port was taken while the cluster was down')
    endsWithUs({ pid: this.#server.pid, folder: await realpath(this.#dataFolder) })
  }

  async #end(how: 'shutdown' | 'crash'): Promise<void> {
    if (!this.#server) return
    const { pid } = this.#server
    if (how === 'crash') process.kill(pid, 'SIGQUIT')
    await this.#server.stop()
    await until('Postgres has gone', async () => !isAlive(pid))
    hasEnded({ pid })
    this.#server = undefined
  }
}

/** Postgres starts only on data that its own account owns. */
async function copyWithOwners(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to])
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
