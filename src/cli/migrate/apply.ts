import pg from 'pg'
import { type SchemaEngine, withSchemaEngine } from './engine.ts'
import { everything, readMigrations } from './folder.ts'

/** Applies what is pending, in order; answers the names. Concurrent calls wait for each other. */
export async function applyMigrations(connection: pg.PoolConfig, folder?: string): Promise<string[]> {
  const migrationsList = await readMigrations(folder)
  return alone(connection, () =>
    withSchemaEngine(connection, async (engine) => {
      await forgetUnfinished(engine, migrationsList)
      const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: everything })
      return appliedMigrationNames
    }),
  )
}

/**
 * A migration that was killed or failed half-way is noted as begun and not as finished, and Prisma would wait for a
 * person to say what became of it. Here nothing became of it: script and note are one transaction (see engine.ts).
 */
async function forgetUnfinished(
  engine: SchemaEngine,
  migrationsList: Awaited<ReturnType<typeof readMigrations>>,
): Promise<void> {
  const { failedMigrationNames } = await engine.diagnoseMigrationHistory({
    migrationsList,
    optInToShadowDatabase: false,
    filters: everything,
  })
  for (const migrationName of failedMigrationNames) await engine.markMigrationRolledBack({ migrationName })
}

/** Without this, one that is being applied right now would look unfinished to a second migrator. */
async function alone<T>(connection: pg.PoolConfig, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock(7265099)')
    return await work()
  } finally {
    await client.end()
  }
}
