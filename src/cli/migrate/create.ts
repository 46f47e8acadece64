import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { Problem } from '../problem.ts'
import { applyMigrations } from './apply.ts'
import { differenceToSchema } from './difference.ts'
import { migrationsFolder } from './folder.ts'

/**
 * Writes the next migration: what the folder still lacks of the schema, found by applying the folder to a scratch
 * database. Raw SQL (partial indexes, CHECKs, triggers) is added to the file by hand.
 */
export async function createMigration(serverUrl: string, name: string): Promise<string> {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new Problem('Name the migration in lower case with underscores, like: npm run migrate -- create add_lists')
  }
  const script = await onScratchDatabase(serverUrl, async (connection) => {
    await applyMigrations(connection)
    return differenceToSchema(connection)
  })
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  const folder = join(migrationsFolder, `${stamp}_${name}`)
  await mkdir(folder)
  await writeFile(join(folder, 'migration.sql'), `${script}\n`)
  return join(folder, 'migration.sql')
}

async function onScratchDatabase<T>(serverUrl: string, work: (connection: pg.PoolConfig) => Promise<T>): Promise<T> {
  const database = `sendonce_scratch_${randomUUID()}`
  const server = new pg.Client({ connectionString: serverUrl })
  await server.connect()
  await server.query(`CREATE DATABASE "${database}"`)
  try {
    const url = new URL(serverUrl)
    url.pathname = `/${database}`
    return await work({ connectionString: url.href })
  } finally {
    await server.query(`DROP DATABASE "${database}" WITH (FORCE)`)
    await server.end()
  }
}
