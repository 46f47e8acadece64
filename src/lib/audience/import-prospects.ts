import { createHash } from 'node:crypto'
import type pg from 'pg'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { recordAudit } from '#lib/tenancy/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import type { HashAddress } from './address-hash.ts'
import type { CsvRecord } from './csv-records.ts'
import { commitBatch, type ImportJob } from './import-batch.ts'
import type { ImportFile } from './import-file.ts'
import type { ImportOptions } from './import-mapping.ts'
import { type ImportReport, loadReport } from './import-report.ts'
import { loadList } from './lists.ts'

const BATCH = 1_000

/**
 * Reads a file into prospects. The same file with the same options is the same import: where one was interrupted, this
 * goes on after its last batch; where it was finished, its report is answered again, unless `again` asks for a new one.
 */
export async function importProspects(
  pool: pg.Pool,
  workspaceId: string,
  hash: HashAddress,
  file: ImportFile,
  options: ImportOptions,
  actor: Actor,
  consequences: ImportJob['consequences'],
  { again = false }: { again?: boolean } = {},
): Promise<ImportReport> {
  if (options.listId) await loadList(pool, workspaceId, options.listId)
  const { id, finished } = await openJob(pool, workspaceId, file, options, actor, again)
  if (!finished) {
    const total = await bringIn(pool, { id, workspaceId, options, hash, consequences }, file)
    await inTransaction(pool, (tx) => finishJob(tx, workspaceId, id, total, actor))
  }
  return loadReport(pool, workspaceId, id)
}

async function openJob(
  pool: pg.Pool,
  workspaceId: string,
  file: ImportFile,
  options: ImportOptions,
  actor: Actor,
  again: boolean,
): Promise<{ id: string; finished: boolean }> {
  const fingerprint = createHash('sha256').update(file.sha256).update(JSON.stringify(options)).digest()
  const latest = async () => {
    const { rows } = await pool.query<{ id: string; finished: boolean }>(
      `SELECT id, finished_at IS NOT NULL AS finished FROM import_jobs
       WHERE workspace_id = $1 AND fingerprint = $2 ORDER BY id DESC LIMIT 1`,
      [workspaceId, fingerprint],
    )
    return rows[0]
  }
  const before = await latest()
  if (before && !(before.finished && again)) return before
  // Two at once: one row is kept, and both go on with it.
  await pool.query(
    `INSERT INTO import_jobs (id, workspace_id, fingerprint, options, encoding, delimiter, created_by_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (workspace_id, fingerprint) WHERE finished_at IS NULL DO NOTHING`,
    [newId(), workspaceId, fingerprint, options, file.format.encoding, file.format.delimiter, actor.id],
  )
  const opened = await latest()
  if (!opened) throw new Error('the import that was just begun is gone')
  return opened
}

/** Batch after batch, skipping what is in already; answers how many records the file has. */
async function bringIn(pool: pg.Pool, job: ImportJob, file: ImportFile): Promise<number> {
  let batch: CsvRecord[] = []
  let total = 0
  let committed = 0
  let toSkip = (file.format.sepLine ? 1 : 0) + (job.options.hasHeader ? 1 : 0)
  const commit = async () => {
    while (batch.length > 0) {
      const from = total - batch.length
      const done = await inTransaction(pool, (tx) => commitBatch(tx, job, from, batch))
      committed = done.committed
      // What somebody else has brought in meanwhile is theirs; the rest of the batch is still to be done.
      batch = committed >= total ? [] : batch.slice(committed - from)
      if (!done.mine && committed < from) throw new Error(`the import ${job.id} has gone backwards`)
    }
  }
  for await (const record of file.records()) {
    if (toSkip > 0) {
      toSkip -= 1
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

/** Once, by whoever is first; which addresses the file named is not needed any more. */
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
