import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { describeSystemError, Problem } from '../problem.ts'
import { projectRoot } from '../project.ts'

/** What a person who runs Sendonce at home need not think about: made once, kept in .data/. */
const settingsSchema = z.object({
  databasePassword: z.string().min(16),
  cronSecret: z.string().min(16),
})

export type HomeSettings = z.infer<typeof settingsSchema>

/** Everything that `npm start` keeps: the database, the caught mail, the logs and the secrets. */
export function dataFolder(): string {
  return resolve(projectRoot, process.env.DATA_DIR || '.data')
}

/** Variables of .env count like those of the shell, which win. */
export function loadEnvFile(): void {
  const file = join(projectRoot, '.env')
  if (existsSync(file)) process.loadEnvFile(file)
}

export async function openHomeSettings(): Promise<HomeSettings> {
  const file = join(dataFolder(), 'settings.json')
  await makeDataFolder()
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return create(file)
  try {
    return settingsSchema.parse(JSON.parse(text))
  } catch {
    throw new Problem(
      `${file} is damaged: it should hold a databasePassword and a cronSecret. Restore it from a backup, or remove ${dataFolder()} to begin anew.`,
    )
  }
}

async function makeDataFolder(): Promise<void> {
  try {
    await mkdir(dataFolder(), { recursive: true })
  } catch (error) {
    const why = describeSystemError(error) ?? (error instanceof Error ? error.message : String(error))
    throw new Problem(
      `The data folder ${dataFolder()} cannot be made. ${why} Set DATA_DIR to a folder that can be written.`,
    )
  }
}

/** Written aside and renamed: a start that is killed here leaves no half of it. */
async function create(file: string): Promise<HomeSettings> {
  const settings = { databasePassword: randomSecret(), cronSecret: randomSecret() }
  await writeFile(`${file}.new`, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
  return settings
}

function randomSecret(): string {
  return randomBytes(24).toString('base64url')
}
