import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, startPostgres } from '#cli/postgres/server.ts'
import { until } from './faults-rig.ts'
import { endsWithUs, hasEnded } from './reaper.ts'
import { prepareTestDatabase } from './test-server.ts'

/** A Postgres that a test may restart: it loses nothing that it has committed, and keeps its port. */
export class Cluster {
  readonly #folder: string
  readonly #dataFolder: string
  readonly #password = randomBytes(12).toString('hex')
  #server: EmbeddedPostgres | undefined
  #pid = 0

  private constructor(folder: string) {
    this.#folder = folder
    this.#dataFolder = join(folder, 'postgres')
    endsWithUs({ folder })
  }

  static async start(): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), 'sendonce-cluster-'))
    await chmod(folder, 0o755)
    const cluster = new Cluster(folder)
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

  async stop(): Promise<void> {
    await this.#end('shutdown')
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
      settings: { fsync: 'off' },
    })
    if (port !== 0 && this.#server.port !== port) throw new Error('somebody took the port while the cluster was down')
    const pidFile = join(await realpath(this.#dataFolder), 'postmaster.pid')
    this.#pid = Number((await readFile(pidFile, 'utf8')).split('\n')[0])
    endsWithUs({ pid: this.#pid, folder: await realpath(this.#dataFolder) })
  }

  async #end(how: 'shutdown' | 'crash'): Promise<void> {
    if (how === 'crash') process.kill(this.#pid, 'SIGQUIT')
    await this.#server?.stop()
    await until('Postgres has gone', async () => !isAlive(this.#pid))
    hasEnded({ pid: this.#pid })
    this.#server = undefined
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
