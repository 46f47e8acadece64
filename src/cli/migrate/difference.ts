import type pg from 'pg'
import { withSchemaEngine } from './engine.ts'
import { everything, readSchema } from './folder.ts'

/** The SQL that the database still lacks of the schema; empty when they agree. What Prisma cannot say is not compared. */
export async function differenceToSchema(connection: pg.PoolConfig): Promise<string> {
  const files = [{ path: 'schema.prisma', content: await readSchema() }]
  return withSchemaEngine(connection, async (engine) => {
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: '' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: true,
      filters: everything,
    })
    return exitCode === 0 ? '' : (stdout ?? '').trim()
  })
}
