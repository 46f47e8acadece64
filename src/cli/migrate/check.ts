import type pg from 'pg'
import { differenceToSchema } from './difference.ts'
import { withSchemaEngine } from './engine.ts'
import { everything, readMigrations } from './folder.ts'

/** Everything in which schema, migrations folder and database disagree, a sentence each; empty when all is well. */
export async function checkMigrations(connection: pg.PoolConfig): Promise<string[]> {
  const problems = await checkHistory(connection)
  const missing = await differenceToSchema(connection)
  if (missing) problems.push(`The database is not what the schema says; it still lacks:\n${missing}`)
  return problems
}

async function checkHistory(connection: pg.PoolConfig): Promise<string[]> {
  const migrationsList = await readMigrations()
  const { editedMigrationNames, failedMigrationNames, history } = await withSchemaEngine(connection, (engine) =>
    engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters: everything }),
  )
  const problems = [
    ...editedMigrationNames.map((name) => `Migration ${name} was edited after it was applied.`),
    ...failedMigrationNames.map((name) => `Migration ${name} failed half-way.`),
  ]
  if (history?.diagnostic === 'databaseIsBehind') {
    problems.push(...history.unappliedMigrationNames.map((name) => `Migration ${name} is not applied.`))
  } else if (history) {
    problems.push('The database holds migrations that this folder does not: it belongs to another version.')
  }
  return problems
}
