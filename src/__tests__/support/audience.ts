import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { consequencesIn } from '#app/api/prospects/audience.ts'
import { addressHasher, type HashAddress } from '#lib/audience/address-hash.ts'
import { withImportFile } from '#lib/audience/import-file.ts'
import { importOptionsSchema } from '#lib/audience/import-mapping.ts'
import { importProspects } from '#lib/audience/import-prospects.ts'
import { type ImportIssue, type ImportReport, listIssues } from '#lib/audience/import-report.ts'
import type { Consequences } from '#lib/audience/prospect.ts'
import { newId } from '#lib/platform/id.ts'
import { type Keyring, readKeyring } from '#lib/platform/keyring.ts'
import type { Actor } from '#lib/tenancy/person.ts'

export const actor: Actor = { id: newId(), email: 'olga@acme.test' }

export function makeKeyring(...keys: string[]): Keyring {
  const reading = readKeyring(keys.join(','))
  if (!reading.ok) throw new Error(reading.problem)
  return reading.keyring
}

export type Audience = { workspaceId: string; hash: HashAddress; consequences: Consequences }

export async function makeAudience(pool: pg.Pool, key = makeKey('test')): Promise<Audience> {
  const workspaceId = newId()
  await pool.query(`INSERT INTO workspaces (id, name) VALUES ($1, 'Acme')`, [workspaceId])
  return audienceOf(pool, workspaceId, key)
}

/** A new entry for a keyring. */
export const makeKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`

/** Of a workspace that is there already. */
export async function audienceOf(pool: pg.Pool, workspaceId: string, ...keys: string[]): Promise<Audience> {
  return {
    workspaceId,
    hash: await addressHasher(pool, makeKeyring(...keys), workspaceId),
    consequences: consequencesIn(workspaceId),
  }
}

export type ImportAsk = { columns: unknown[]; onKnown?: 'update' | 'leave'; hasHeader?: boolean; listId?: string }

/** Imports a file and answers its report with every line that is told of. */
export async function importFile(
  pool: pg.Pool,
  { workspaceId, hash, consequences }: Audience,
  content: string | Buffer,
  ask: ImportAsk,
  how: { again?: boolean } = {},
): Promise<ImportReport & { issues: ImportIssue[] }> {
  const options = importOptionsSchema.parse({ onKnown: 'update', ...ask })
  const report = await withImportFile(chunksOf(Buffer.from(content)), (file) =>
    importProspects(pool, workspaceId, hash, file, options, actor, consequences, how),
  )
  const { issues } = await listIssues(pool, report.id, { limit: 100_000 })
  return { ...report, issues }
}

async function* chunksOf(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 50_000) yield content.subarray(at, at + 50_000)
}
