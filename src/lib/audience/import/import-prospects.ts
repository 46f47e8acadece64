import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { HashAddress } from '#lib/audience/address-hash.ts'
import { refuseUnusableList } from '#lib/audience/lists.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import type { CsvRecord } from './csv-records.ts'
import { commitBatch, type ImportJob } from './import-batch.ts'
import { type ImportFile, refuseUnsureEncoding } from './import-file.ts'
import type { ImportOptions } from './import-mapping.ts'
import { type ImportReport, loadReport } from './import-report.ts'

const BATCH = 1_000

/**
 * Reads a file into prospects. The same file with the same options goes on after the last batch of an import that was
 * interrupted. Where that one is finished, this is a new one: who was archived or erased in between comes back.
 */
export async function importProspects(
  pool: pg.Pool,
  workspaceId: string,
  hash: HashAddress,
  file: ImportFile,
  options: ImportOptions,
  actor: Actor,
  consequences: ImportJob['consequences'],
  fileName: string | null = null,
): Promise<ImportReport> {
  refuseUnsureEncoding(file)
  if (options.listId) await refuseUnusableList(pool, workspaceId, options.listId)
  const id = await openJob(pool, workspaceId, file, options, actor, fileName)
  await countRecords(pool, id, file, options)
  const total = await bringIn(pool, { id, workspaceId, options, hash, consequences }, file)
  await inTransaction(pool, (tx) => finishJob(tx, workspaceId, id, total, actor))
  return loadReport(pool, workspaceId, id)
}

async function openJob(
  pool: pg.Pool,
  workspaceId: string,
  file: ImportFile,
  options: ImportOptions,
  actor: Actor,
  fileName: string | null,
): Promise<string> {
  const fingerprint = createHash('sha256').update(file.sha256).update(JSON.stringify(options)).digest()
  const { encoding, encodingBy, delimiter, startsWithPerson } = file.format
  // Two at once: one row is kept, and both go on with it. The row is written for its lock, and answered either way.
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO import_jobs (id, workspace_id, fingerprint, options, encoding, encoding_by, delimiter,
       starts_with_person, created_by_id, file_name)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (workspace_id, fingerprint) WHERE finished_at IS NULL
       DO UPDATE SET fingerprint = excluded.fingerprint
     RETURNING id`,
    [newId(), workspaceId, fingerprint, options, encoding, encodingBy, delimiter, startsWithPerson, actor.id, fileName],
  )
  const job = rows[0]
  if (!job) throw new Error('the import that was just begun is gone')
  return job.id
}

/** Beforehand, so that what is done can be shown as a part of it. */
async function countRecords(sql: Sql, id: string, file: ImportFile, options: ImportOptions): Promise<void> {
  let records = options.hasHeader && !file.format.startsWithPerson ? -1 : 0
  for await (const _ of file.records()) records += 1
  await sql.query('UPDATE import_jobs SET total_records = $2 WHERE id = $1', [id, Math.max(0, records)])
}

/** Batch after batch, skipping what is in already; answers how many records the file has. */
async function bringIn(pool: pg.Pool, job: ImportJob, file: ImportFile): Promise<number> {
  let batch: CsvRecord[] = []
  let total = 0
  let committed = 0
  let isHeader = job.options.hasHeader && !file.format.startsWithPerson
  const commit = async () => {
    while (batch.length > 0) {
      const from = total - batch.length
      const done = await inTransaction(pool, (tx) => commitBatch(tx, job, from, batch))
      committed = done.committed
      // Another process may have brought in a part of this batch; the rest is still to be done.
      batch = committed >= total ? [] : batch.slice(committed - from)
      if (!done.mine && committed < from) throw new Error(`the import ${job.id} has gone backwards`)
    }
  }
  for await (const record of file.records()) {
    if (isHeader) {
      isHeader = false
      continue
    }
    total += 1
    if (total <= committed) continue
    batch.push(record)
    if (batch.length === BATCH) await commit()
  }
  await commit()
  return total
}

/** The first process to arrive finishes the job; the addresses that the file named are not needed any more. */
async function finishJob(tx: Sql, workspaceId: string, id: string, total: number, actor: Actor): Promise<void> {
  const { rowCount } = await tx.query(
    `UPDATE import_jobs SET finished_at = app_now()
     WHERE workspace_id = $1 AND id = $2 AND finished_at IS NULL AND committed_records = $3`,
    [workspaceId, id, total],
  )
  if (rowCount === 0) return
  await tx.query('DELETE FROM import_addresses WHERE job_id = $1', [id])
  const { lines, created, updated, revived, rejected } = await loadReport(tx, workspaceId, id)
  await recordAudit(tx, workspaceId, {
    action: 'prospects.imported',
    actor,
    target: { kind: 'import', id, name: `a file of ${lines} lines` },
    details: { created, updated, revived, rejected },
  })
}
