import type pg from 'pg'
import { withSchemaEngine } from './engine.ts'
import { everything, readMigrations } from './folder.ts'

/** Applies what is pending, in order; answers the names. Concurrent calls wait for each other inside the engine. */
export async function applyMigrations(connection: pg.PoolConfig, folder?: string): Promise<string[]> {
  const migrationsList = await readMigrations(folder)
  return withSchemaEngine(connection, async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: everything })
    return appliedMigrationNames
  })
}
