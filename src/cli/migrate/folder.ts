import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { projectRoot } from '../project.ts'

const prismaFolder = join(projectRoot, 'prisma')
export const migrationsFolder = join(prismaFolder, 'migrations')

export async function readSchema(): Promise<string> {
  return readFile(join(prismaFolder, 'schema.prisma'), 'utf8')
}

/** Only what the schema itself defines is compared: no table or enum of another program. */
export const everything = { externalTables: [], externalEnums: [] }

export async function readMigrations(folder = migrationsFolder) {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return {
    baseDir: folder,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(join(folder, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.sort().map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok' as const, value: await readFile(join(folder, name, 'migration.sql'), 'utf8') },
        },
      })),
    ),
  }
}
