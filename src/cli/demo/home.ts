import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { z } from 'zod'
import { DEMO_FILE, DEMO_REMOVAL } from '#lib/platform/demo.ts'
import { generateKey } from '#lib/platform/keyring.ts'
import { dataFolder } from '../home/settings.ts'
import { applyMigrations } from '../migrate/apply.ts'

/**
 * The demo is an installation of its own: a database that nobody else uses, a folder, secrets, a login. So it can go as
 * a whole, although rows that were once marked are never deleted, and nothing that makes it can touch anything real.
 */
const demoSchema = z.object({
  email: z.string(),
  password: z.string(),
  /** Where it is served at the moment, and where the installation beside it is. */
  url: z.string(),
  mainUrl: z.string(),
  /** False while it is being made: one that was cut short is made anew. */
  isMade: z.boolean(),
  cronSecret: z.string(),
  authSecret: z.string(),
  encryptionKeys: z.string(),
  catcherToken: z.string(),
})

export type Demo = z.infer<typeof demoSchema>

export const demoFolder = () => join(dataFolder(), 'demo')
const demoFile = () => join(demoFolder(), DEMO_FILE)

/** Null where there is none, or none that can be read. */
export async function readDemo(): Promise<Demo | null> {
  const text = await readFile(demoFile(), 'utf8').catch(() => undefined)
  try {
    return text === undefined ? null : demoSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** Written aside and renamed, and readable for this account alone. */
export async function writeDemo(demo: Demo): Promise<void> {
  await mkdir(demoFolder(), { recursive: true, mode: 0o700 })
  await writeFile(`${demoFile()}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  await rename(`${demoFile()}.new`, demoFile())
}

export function newDemo(): Demo {
  const secret = () => randomBytes(24).toString('base64url')
  return {
    ...{ email: 'olivia@demo.example', password: randomBytes(9).toString('base64url') },
    ...{ url: '', mainUrl: '', isMade: false },
    ...{ cronSecret: secret(), authSecret: secret(), encryptionKeys: generateKey(new Date()), catcherToken: secret() },
  }
}

/** Beside the database of the installation, on the same server. */
export function demoUrlOf(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.pathname = `${url.pathname}_demo`
  return url.href
}

/** An empty one, migrated; whatever was there before is gone. */
export async function makeDatabase(databaseUrl: string): Promise<void> {
  await dropDatabase(databaseUrl)
  await onServerOf(databaseUrl, (name) => `CREATE DATABASE ${name}`)
  await applyMigrations({ connectionString: demoUrlOf(databaseUrl) })
}

async function dropDatabase(databaseUrl: string): Promise<void> {
  await onServerOf(databaseUrl, (name) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
}

async function onServerOf(databaseUrl: string, statement: (name: string) => string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const name = decodeURIComponent(new URL(demoUrlOf(databaseUrl)).pathname.slice(1))
    await client.query(statement(client.escapeIdentifier(name)))
  } finally {
    await client.end()
  }
}

/** All of it: the database, the mails, the logs, the secrets. */
export async function removeDemo(databaseUrl: string): Promise<void> {
  await dropDatabase(databaseUrl)
  await rm(demoFolder(), { recursive: true, force: true })
}

export const isRemovalWanted = () => existsSync(join(demoFolder(), DEMO_REMOVAL))
export const askForRemoval = () => writeFile(join(demoFolder(), DEMO_REMOVAL), '')
