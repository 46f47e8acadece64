import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { generateKey, readKeyring } from '#lib/platform/keyring.ts'
import { findServerAccount } from '../postgres/account.ts'
import { describeSystemError, Problem } from '../problem.ts'
import { projectRoot } from '../project.ts'
import { problemsOfEnvFile, readEnvFile } from './env-file.ts'

/** What a person who runs Sendonce at home need not think about: made once, kept in .data/. */
const settingsSchema = z.object({
  databasePassword: z.string().min(16),
  cronSecret: z.string().min(16),
  authSecret: z.string().min(32),
  encryptionKeys: z.string().refine((text) => readKeyring(text).ok),
  catcherToken: z.string().min(16),
})

export type HomeSettings = z.infer<typeof settingsSchema>

/** Everything that `npm start` keeps: the database, the caught mail, the logs and the secrets. */
export function dataFolder(): string {
  return resolve(projectRoot, process.env.DATA_DIR || '.data')
}

/** How far each database was, beside the database and not in it: a snapshot of the server's own folder leaves it alone. */
export function witnessFolder(): string {
  return resolve(projectRoot, process.env.WITNESS_DIR || join(dataFolder(), 'witness'))
}

/** Variables of .env count like those of the shell, which win. */
export function loadEnvFile(): void {
  const text = readEnvFile(join(projectRoot, '.env'))
  if (text === undefined) return
  const problems = problemsOfEnvFile(text)
  if (problems.length > 0) throw new Problem(problems.join('\n'))
  for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value
}

export async function openHomeSettings(): Promise<HomeSettings> {
  const file = join(dataFolder(), 'settings.json')
  await makeDataFolder()
  await closeToOthers()
  const kept = await readIfThere(file)
  const settings = { ...newSecrets(), ...kept }
  // A file of an older version gains what it does not have; what it has stays.
  if (kept && Object.keys(settings).every((name) => name in kept)) return settings
  await write(file, settings, kept !== undefined)
  // Of two first starts at once, one has made the secrets that the database is under: they are those of both.
  return { ...settings, ...(await readIfThere(file)) }
}

/** Only where nothing is there: one that cannot be read holds the key to every stored password, and is not replaced. */
async function readIfThere(file: string): Promise<Partial<HomeSettings> | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : readKept(file, text)
}

function readKept(file: string, text: string): Partial<HomeSettings> {
  try {
    return settingsSchema
      .partial({ authSecret: true, encryptionKeys: true, catcherToken: true })
      .parse(JSON.parse(text))
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

/**
 * The mails hold links that reset passwords, and the logs tell who does what: the other accounts of the machine read
 * nothing here. The account that runs Postgres for root must pass through to its own folder, which it keeps closed.
 */
async function closeToOthers(): Promise<void> {
  process.umask(0o077)
  const folder = dataFolder()
  await chmod(folder, findServerAccount() ? 0o711 : 0o700)
  // What an older version left open. Not the folder of the database: it is another account's, and a link perhaps.
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isFile()) await chmodIfThere(join(folder, entry.name), 0o600)
    if (entry.isDirectory() && entry.name === 'mail') await chmodIfThere(join(folder, entry.name), 0o700)
  }
}

/** Another start at the same time writes aside, and puts in its place, what was just listed here. */
async function chmodIfThere(path: string, mode: number): Promise<void> {
  await chmod(path, mode).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
}

/** Written aside and put in its place whole, on the disk: neither a kill nor a power cut leaves half of it. */
async function write(file: string, settings: HomeSettings, isThere: boolean): Promise<void> {
  const fresh = `${file}.${randomBytes(4).toString('hex')}.new`
  const handle = await open(fresh, 'wx', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(settings, null, 2)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    if (isThere) await rename(fresh, file)
    // Unlike a renaming, it never takes the place of what another start has put there.
    else await link(fresh, file).catch(unlessThere)
  } finally {
    await rm(fresh, { force: true })
  }
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

function newSecrets(): HomeSettings {
  return {
    databasePassword: randomSecret(),
    cronSecret: randomSecret(),
    authSecret: randomSecret(),
    encryptionKeys: generateKey(new Date()),
    catcherToken: randomSecret(),
  }
}

function randomSecret(): string {
  return randomBytes(24).toString('base64url')
}
