import { createHash, randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { applyMigrations } from '#cli/migrate/apply.ts'
import { checkMigrations } from '#cli/migrate/check.ts'
import { migrationsFolder } from '#cli/migrate/folder.ts'
import { onDatabase } from '#tests/support/server/test-server.ts'

const name = `${inject('templateDatabase')}_${randomBytes(4).toString('hex')}`
const connection = { connectionString: onDatabase(inject('testServerUrl'), name) }

async function sql(text: string, url = connection.connectionString) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

beforeAll(() => sql(`CREATE DATABASE "${name}"`, inject('testServerUrl')))
afterAll(() => sql(`DROP DATABASE "${name}" WITH (FORCE)`, inject('testServerUrl')))

describe('schema, migrations and live database', () => {
  test('agree once the migrations are applied, by several at once', async () => {
    const applied = await Promise.all([
      applyMigrations(connection),
      applyMigrations(connection),
      applyMigrations(connection),
    ])
    expect(applied.flat().length).toBeGreaterThan(0)
    expect(new Set(applied.flat()).size).toBe(applied.flat().length)
    expect(await checkMigrations(connection)).toEqual([])
    expect(await applyMigrations(connection)).toEqual([])
  })

  test('are told apart when a column, or a migration, is missing', async () => {
    await sql('ALTER TABLE mailboxes DROP COLUMN display_name')
    expect(await checkMigrations(connection)).toEqual([expect.stringMatching(/lacks:[\s\S]*display_name/)])
    await sql(`ALTER TABLE mailboxes ADD COLUMN display_name text NOT NULL DEFAULT ''`)
    expect(await checkMigrations(connection)).toEqual([])

    await sql(
      `DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)`,
    )
    expect(await checkMigrations(connection)).toEqual([expect.stringMatching(/is not applied/)])
  })

  test('record the checksums that the ordinary Prisma CLI compares', async () => {
    const rows = await sql('SELECT migration_name, checksum FROM _prisma_migrations ORDER BY migration_name')
    for (const { migration_name, checksum } of rows) {
      const file = await readFile(join(migrationsFolder, migration_name, 'migration.sql'))
      expect(checksum).toBe(createHash('sha256').update(file).digest('hex'))
    }
  })
})

describe('a migration that fails', () => {
  const scratch = `${name}_b`
  const url = onDatabase(inject('testServerUrl'), scratch)
  let folder = ''

  beforeAll(async () => {
    await sql(`CREATE DATABASE "${scratch}"`, inject('testServerUrl'))
    folder = await mkdtemp(join(tmpdir(), 'sendonce-migrations-'))
    await cp(join(migrationsFolder, 'migration_lock.toml'), join(folder, 'migration_lock.toml'))
    await mkdir(join(folder, '20260101000000_broken'))
    await writeMigration('CREATE TABLE half (id int);\nCREATE TABLE other (id no_such_type);\n')
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await sql(`DROP DATABASE "${scratch}" WITH (FORCE)`, inject('testServerUrl'))
  })

  const writeMigration = (text: string) => writeFile(join(folder, '20260101000000_broken/migration.sql'), text)

  test('leaves none of its parts behind, and says what Postgres said', async () => {
    await expect(applyMigrations({ connectionString: url }, folder)).rejects.toThrow(/broken: .*no_such_type/)
    expect(await sql(`SELECT to_regclass('half') AS half`, url)).toEqual([{ half: null }])
  })

  test('is applied by the next call without a hand, once it is mended', async () => {
    await writeMigration('CREATE TABLE half (id int);\n')
    expect(await applyMigrations({ connectionString: url }, folder)).toEqual(['20260101000000_broken'])
    expect(await applyMigrations({ connectionString: url }, folder)).toEqual([])
  })

  test('and one whose process was killed before it could begin, too', async () => {
    await sql(
      `DROP TABLE half; UPDATE _prisma_migrations SET finished_at = NULL, applied_steps_count = 0 WHERE rolled_back_at IS NULL`,
      url,
    )
    expect(await applyMigrations({ connectionString: url }, folder)).toEqual(['20260101000000_broken'])
    expect(await sql(`SELECT to_regclass('half')::text AS half`, url)).toEqual([{ half: 'half' }])
  })
})
