import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { z } from 'zod'
import { later, latestMoment, type Moment, rememberMoment } from '#lib/email-scheduler/send/moment.ts'
import type { Log } from '#lib/platform/log.ts'

const KEEP_EVERY_MS = 2_000

const momentSchema = z.object({
  sighting: z.number().int().min(0),
  tick: z.number().int().min(0),
  position: z.number().int().min(0),
})

const witnesses = new WeakMap<pg.Pool, Witness>()

/**
 * A file on the worker's own disk that says how far the database was. A process knows it as long as it lives; this is for
 * the next one: a snapshot of the database that is put back while no worker lives has taken its rows back, but not this
 * file. It has nothing to say of a machine that is rolled back as a whole, file included.
 *
 * Each database has a file of its own, by the server's system identifier and its oid there: another DATABASE_URL, a second
 * database or a new cluster accuses nobody. A standby that takes over keeps both, and the number of its sighting is newer.
 */
export class Witness {
  readonly #pool: pg.Pool
  readonly #folder: string
  readonly #log: Log
  #recalling: Promise<void> | undefined
  #keeping: Promise<void> = Promise.resolve()
  #file: string | null = null
  #written: Moment | undefined

  private constructor(pool: pg.Pool, folder: string, log: Log) {
    this.#pool = pool
    this.#folder = folder
    this.#log = log
  }

  /** One for each pool: a server ticks anew with every request. */
  static of(pool: pg.Pool, folder: string, log: Log): Witness {
    const witness = witnesses.get(pool) ?? new Witness(pool, folder, log)
    witnesses.set(pool, witness)
    return witness
  }

  /** What was known when the last process ended. Once, before anything is asked of the database. */
  recall(): Promise<void> {
    this.#recalling ??= this.#recall().catch((error: unknown) => {
      this.#recalling = undefined
      throw error
    })
    return this.#recalling
  }

  /** While `work` goes on, and when it has ended: a process that is killed has written down all but its last seconds. */
  async beside<T>(work: () => Promise<T>): Promise<T> {
    const keeping = setInterval(() => void this.keep(), KEEP_EVERY_MS)
    try {
      return await work()
    } finally {
      clearInterval(keeping)
      await this.keep()
    }
  }

  /** One after the other: both write aside first, under one name. */
  keep(): Promise<void> {
    this.#keeping = this.#keeping.then(() => this.#keep())
    return this.#keeping
  }

  /** Workers that share a disk share the file: none takes back what another has written. A disk that is full ends no tick. */
  async #keep(): Promise<void> {
    const moment = latestMoment(this.#pool)
    if (!moment || isSame(moment, this.#written)) return
    try {
      // The address may lead to another server by now: then a tick has written a sighting, or has found the first one.
      if (moment.sighting !== this.#written?.sighting) this.#file = await this.#findFile()
      if (!this.#file) return
      const kept = await readMoment(this.#file)
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      const aside = `${this.#file}.${process.pid}.new`
      await writeFile(aside, `${JSON.stringify(kept ? later(kept, moment) : moment)}\n`, { mode: 0o600, flush: true })
      await rename(aside, this.#file)
      this.#written = moment
    } catch (error) {
      this.#log.warn({ error, folder: this.#folder }, 'how far the database is could not be written down')
    }
  }

  async #recall(): Promise<void> {
    this.#file = await this.#findFile()
    const kept = this.#file && (await readMoment(this.#file))
    if (kept) rememberMoment(this.#pool, kept, kept.tick)
  }

  /** None where Postgres does not tell which server it is: its databases could not be told from another's. */
  async #findFile(): Promise<string | null> {
    const { rows } = await this.#pool.query<{ server: string | null; oids: string }>(
      'SELECT database_server() AS server, database_oids() AS oids',
    )
    const { server = null, oids = '' } = rows[0] ?? {}
    const [system, database] = [server?.split('/')[0], oids.split('/')[0]]
    return system ? join(this.#folder, `${system}-${database}.json`) : null
  }
}

/** A file that is not there, or damaged, says nothing. */
async function readMoment(file: string): Promise<Moment | undefined> {
  try {
    return momentSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined
  }
}

function isSame(one: Moment, other: Moment | undefined): boolean {
  return one.sighting === other?.sighting && one.tick === other.tick && one.position === other.position
}
