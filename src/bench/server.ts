import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { applyMigrations } from '#cli/migrate/apply.ts'
import { startPostgres } from '#cli/postgres/server.ts'

export type BenchServer = { newDatabase(name: string, migrated: boolean): Promise<string>; stop(): Promise<void> }

/** A server of its own with the durability of production (fsync on), and memory as a small server has it. */
export async function startBenchServer(): Promise<BenchServer> {
  const folder = await mkdtemp(join(tmpdir(), 'sendonce-bench-'))
  // As root, the account that runs Postgres must get in; else the data would lie elsewhere and outlive the run.
  await chmod(folder, 0o755)
  const server = await startPostgres({
    dataFolder: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
    password: randomBytes(12).toString('hex'),
    preferredPort: 0,
    settings: { shared_buffers: '512MB', max_wal_size: '4GB', checkpoint_timeout: '30min' },
  })
  return {
    async newDatabase(name, migrated) {
      const client = new pg.Client({ connectionString: server.urlOf('postgres') })
      await client.connect()
      await client.query(`CREATE DATABASE ${name}`)
      await client.end()
      if (migrated) await applyMigrations({ connectionString: server.urlOf(name) })
      return server.urlOf(name)
    },
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
