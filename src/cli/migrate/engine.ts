import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum, type ErrorRegistry } from '@prisma/driver-adapter-utils'
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg'
import pg from 'pg'
import { readSchema } from './folder.ts'

export type SchemaEngine = bindings.SchemaEngine

/**
 * Prisma's own schema engine, as WebAssembly: the build that the Prisma CLI of our version names, so that the
 * folder, the checksums and the table `_prisma_migrations` are the ordinary ones and nothing is downloaded.
 */
export async function withSchemaEngine<T>(
  connection: pg.PoolConfig,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  await instantiate()
  // One connection: the engine's advisory lock against a second migrator belongs to its session.
  const pool = new pg.Pool({ ...connection, max: 1 })
  const factory = bindMigrationAwareSqlAdapterFactory(new MigrationAdapter(pool))
  const engine = await bindings.SchemaEngine.new(
    { datamodels: [['schema.prisma', await readSchema()]] },
    ignoreLogs,
    factory,
  )
  try {
    return await work(engine)
  } catch (error) {
    throw postgresErrorBehind(error, factory.errorRegistry) ?? error
  } finally {
    engine.free()
    await pool.end()
  }
}

/** So an unfinished migration is one of which nothing was kept, and applying it again is right (see apply.ts). */
const NOTE_AS_APPLIED = `
DO $$ BEGIN
  IF to_regclass('_prisma_migrations') IS NOT NULL THEN
    UPDATE _prisma_migrations SET finished_at = clock_timestamp() WHERE finished_at IS NULL AND rolled_back_at IS NULL;
  END IF;
END $$`

const CATALOG_CHAR_OID = 18
const TEXT_OID = 25

/** Prisma's adapter for applications, with the two things that its engine for migrations needs besides. */
class MigrationAdapter extends PrismaPg {
  override async connect() {
    const adapter = await super.connect()
    const pool = adapter.underlyingDriver()

    // The adapter would split a script at every semicolon, also inside a function's body, and run the parts one by
    // one. Postgres takes a script whole, and keeps all of it or nothing, the note that it is applied included.
    adapter.executeScript = async (script) => {
      await pool.query(`${script}\n;${NOTE_AS_APPLIED}`)
    }

    // The adapter refuses the one-byte "char" of Postgres's catalogues, which the engine reads: it is shown text, and
    // the engine is told what it was. One connection, one query at a time: the columns noted last are this query's.
    let charColumns = new Set<string>()
    pool.on('connect', (client: pg.PoolClient & { connection?: pg.Connection }) => {
      client.connection?.prependListener('rowDescription', ({ fields }: { fields: pg.FieldDef[] }) => {
        const chars = fields.filter((field) => field.dataTypeID === CATALOG_CHAR_OID)
        charColumns = new Set(chars.map((field) => field.name))
        for (const field of chars) field.dataTypeID = TEXT_OID
      })
    })
    const queryRaw = adapter.queryRaw.bind(adapter)
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query)
      const columnTypes = result.columnTypes.map((type, index) =>
        charColumns.has(result.columnNames[index] ?? '') ? ColumnTypeEnum.Character : type,
      )
      return { ...result, columnTypes }
    }
    return adapter
  }
}

/** The engine's error names ours by a number only; what Postgres said is kept in the registry, and is what helps. */
function postgresErrorBehind(error: unknown, registry: ErrorRegistry): Error | undefined {
  const [, id] = /External error id#(\d+)/.exec(String(error)) ?? []
  const [, migration] = /migration_name="([^"]+)"/.exec(String(error)) ?? []
  const original = id === undefined ? undefined : registry.consumeError(Number(id))?.error
  if (!(original instanceof Error)) return undefined
  return new Error(`${migration ? `migration ${migration}: ` : ''}${original.message}`, { cause: original })
}

// The library's bindings hold one instance for the whole process, and a second one breaks what the first has begun: where
// this module is loaded again, as between test files, it finds what the first loading has made.
const shared = globalThis as typeof globalThis & { schemaEngine?: Promise<void> }

function instantiate(): Promise<void> {
  shared.schemaEngine ??= (async () => {
    const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
    const wasm = await readFile(entry.replace(/\.js$/, '.wasm'))
    const { instance } = await WebAssembly.instantiate(wasm, { './schema_engine_bg.js': { ...bindings } })
    Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: rememberPanic } })
    bindings.__wbg_set_wasm(instance.exports)
    const start = instance.exports.__wbindgen_start
    if (typeof start === 'function') start()
  })()
  return shared.schemaEngine
}

/** Without this the engine's own bugs would surface as an unreachable instruction and nothing else. */
function rememberPanic(message: string) {
  process.stderr.write(`The migration engine failed: ${message}\n`)
}

/** The engine reports every statement; its errors come as exceptions. */
function ignoreLogs() {}
