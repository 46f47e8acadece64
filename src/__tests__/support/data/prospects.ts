import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { addressHasher, type HashAddress } from '#lib/audience/address-hash.ts'
import { withImportFile } from '#lib/audience/import/import-file.ts'
import { importOptionsSchema } from '#lib/audience/import/import-mapping.ts'
import { importProspects } from '#lib/audience/import/import-prospects.ts'
import { type ImportIssue, type ImportReport, listIssues } from '#lib/audience/import/import-report.ts'
import type { Consequences } from '#lib/audience/prospect.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { consequencesIn } from '#lib/wiring/audience.ts'
import { makeKey, makeKeyring } from './keys.ts'
import { actor } from './people.ts'
import { makeWorkspace } from './workspaces.ts'

export async function makeProspects(sql: Sql, workspaceId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId)
  await sql.query(
    `INSERT INTO prospects (id, workspace_id, email, email_hash, updated_at)
     SELECT id, $2, id || '@example.test', decode(replace(id::text, '-', ''), 'hex') || $3::bytea, app_now()
     FROM unnest($1::uuid[]) AS id`,
    [ids, workspaceId, randomBytes(4)],
  )
  return ids
}

export type Audience = { workspaceId: string; hash: HashAddress; consequences: Consequences }

export async function makeAudience(pool: pg.Pool, key = makeKey('test')): Promise<Audience> {
  const { workspaceId } = await makeWorkspace(pool, { mailboxes: 0 })
  return audienceOf(pool, workspaceId, key)
}

/** Of a workspace that is there already. */
export async function audienceOf(pool: pg.Pool, workspaceId: string, ...keys: string[]): Promise<Audience> {
  return {
    workspaceId,
    hash: await addressHasher(pool, makeKeyring(...keys), workspaceId),
    consequences: consequencesIn(workspaceId),
  }
}

export type ImportAsk = {
  columns: unknown[]
  onKnown?: 'update' | 'fill' | 'leave'
  hasHeader?: boolean
  listId?: string
  encoding?: string
  delimiter?: string
}

/** Imports a file and answers its report with every line that is told of. */
export async function importFile(
  pool: pg.Pool,
  { workspaceId, hash, consequences }: Audience,
  content: string | Buffer,
  ask: ImportAsk,
): Promise<ImportReport & { issues: ImportIssue[] }> {
  const options = importOptionsSchema.parse({ onKnown: 'update', ...ask })
  const report = await withImportFile(chunksOf(Buffer.from(content)), async (file) =>
    importProspects(pool, workspaceId, hash, await file.read(options), options, actor, consequences),
  )
  const { issues } = await listIssues(pool, report.id, { limit: 100_000 })
  return { ...report, issues }
}

async function* chunksOf(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 50_000) yield content.subarray(at, at + 50_000)
}
