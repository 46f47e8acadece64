import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { generateKey, readKeyring } from '#lib/platform/keyring.ts'
import { describeSystemError, Problem } from '../problem.ts'
import { projectRoot } from '../project.ts'

/** What a person who runs Sendonce at home need not think about: made once, kept in .data/. */
const settingsSchema = z.object({
  databasePassword: z.string().min(16),
  cronSecret: z.string().min(16),
  authSecret: z.string().min(32),
  encryptionKeys: z.string().refine((text) => readKeyring(text).ok),
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
  const kept = text === undefined ? {} : readKept(file, text)
  const settings = { ...newSecrets(), ...kept }
  // A file of an older version gains what it does not have; what it has stays.
  if (Object.keys(settings).some((name) => !(name in kept))) await write(file, settings)
  return settings
}

function readKept(file: string, text: string): Partial<HomeSettings> {
  try {
    return settingsSchema.partial({ authSecret: true, encryptionKeys: true }).parse(JSON.parse(text))
  } catch {
    throw new Problem(
      `${file} is damaged: it should hold a databasePassword, a cronSecret, an authSecret and encryptionKeys. Restore it from a backup, or remove ${dataFolder()} to begin anew.`,
    )
  }
}

async function makeDataFolder(): Promise<void> {
  try {
    await mkdir(dataFolder(), { recursive: true })
  } catch {
    // Of a read-only disk, the recursive form says only that nothing is there; the plain one says why.
    const error = await mkdir(dataFolder()).catch((refusal: unknown) => refusal)
    const why = describeSystemError(error) ?? (error instanceof Error ? error.message : String(error))
    throw new Problem(
      `The data folder ${dataFolder()} cannot be made. ${why} Set DATA_DIR to a folder that can be written.`,
    )
  }
}

/** Written aside and renamed: a start that is killed here leaves no half of it. */
async function write(file: string, settings: HomeSettings): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

function newSecrets(): HomeSettings {
  return {
    databasePassword: randomSecret(),
    cronSecret: randomSecret(),
    authSecret: randomSecret(),
    encryptionKeys: generateKey(new Date()),
  }
}

function randomSecret(): string {
  return randomBytes(24).toString('base64url')
}
