import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import type { HashAddress } from './address-hash.ts'
import type { CsvRecord } from './csv-records.ts'
import { CUSTOM_FIELDS_MAX, TOO_MANY_FIELDS } from './fields.ts'
import { type ImportOptions, type ImportRow, readRow } from './import-mapping.ts'
import type { ImportIssue, IssueKind } from './import-report.ts'
import { joinList } from './lists.ts'
import type { Consequences } from './prospect.ts'
import { suppressedAmong } from './suppressed.ts'

export type ImportJob = {
  id: string
  workspaceId: string
  options: ImportOptions
  hash: HashAddress
  consequences: Pick<Consequences, 'fieldsChanged'>
}

type Line = ImportRow & { line: number; hash: Buffer; key: string }

type Known = {
  id: string
  key: string
  unsubscribed: boolean
  gone: boolean
  mergedIntoId: string | null
  fieldNames: string[]
}

type Counts = Record<
  'created' | 'updated' | 'revived' | 'unchanged' | 'duplicates' | 'suppressed' | 'unsubscribed' | 'rejected',
  number
>

/**
 * Brings some records in, in one transaction with the count of how far the file is: a process that dies has either done
 * all of a batch or nothing of it. The job's row is locked first; when somebody else is further with the same file, this
 * batch is theirs. Answers how many records are in.
 */
export async function commitBatch(
  tx: Sql,
  job: ImportJob,
  from: number,
  records: readonly CsvRecord[],
): Promise<{ committed: number; mine: boolean }> {
  const { rows } = await tx.query<{ committed: number }>(
    'SELECT committed_records AS committed FROM import_jobs WHERE id = $1 FOR UPDATE',
    [job.id],
  )
  const committed = rows[0]?.committed
  if (committed === undefined) throw new Error(`the import ${job.id} is gone`)
  if (committed !== from) return { committed, mine: false }

  const issues: ImportIssue[] = []
  const tell = (kind: IssueKind, line: number, reason: string) => issues.push({ kind, line, reason })
  const read = readLines(job, records, tell)
  const unique = await dropDuplicates(tx, job, read, tell)
  const wanted = await dropSuppressed(tx, job, unique, tell)
  const known = await lockKnown(tx, job, wanted)
  const { toWrite, left } = sort(job, wanted, known, tell)
  const written = await upsert(tx, job, toWrite)
  if (job.options.listId) {
    const ids = [...written.map(({ id }) => id), ...left]
    await joinList(tx, job.workspaceId, job.options.listId, ids)
  }
  const changed = written.filter((row) => !row.created).map(({ id }) => id)
  if (changed.length > 0) await job.consequences.fieldsChanged(tx, changed)
  await keepIssues(tx, job, issues)
  const count = (kind: IssueKind) => issues.filter((issue) => issue.kind === kind).length
  const gone = new Set([...known.values()].filter((prospect) => prospect.gone).map(({ id }) => id))
  const created = written.filter((row) => row.created).length
  const revived = written.filter((row) => gone.has(row.id)).length
  await advance(tx, job, records.length, {
    created,
    revived,
    updated: written.length - created - revived,
    // Known and left, whether by choice or because the address was merged: all that is told of otherwise is taken away.
    unchanged: records.length - written.length - issues.length + count('merged'),
    duplicates: count('duplicate'),
    suppressed: count('suppressed'),
    unsubscribed: count('unsubscribed'),
    rejected: count('rejected'),
  })
  return { committed: from + records.length, mine: true }
}

type Tell = (kind: IssueKind, line: number, reason: string) => void

function readLines(job: ImportJob, records: readonly CsvRecord[], tell: Tell): Line[] {
  return records.flatMap((record): Line[] => {
    const reading =
      'problem' in record ? { ok: false as const, reason: record.problem } : readRow(job.options.columns, record.cells)
    if (reading.ok) {
      const hash = job.hash(reading.row.address)
      return [{ ...reading.row, line: record.line, hash, key: hash.toString('hex') }]
    }
    tell('rejected', record.line, reading.reason)
    return []
  })
}

/** The first line of an address counts. Which came before stands in the database, so that memory stays flat. */
async function dropDuplicates(tx: Sql, job: ImportJob, lines: readonly Line[], tell: Tell): Promise<Line[]> {
  const firsts = new Map<string, Line>()
  for (const line of lines) if (!firsts.has(line.key)) firsts.set(line.key, line)
  // The outer SELECT does not see what the INSERT adds: it answers those of earlier batches.
  const { rows } = await tx.query<{ key: string; line: number }>(
    `WITH added AS (
       INSERT INTO import_addresses (job_id, address_hash, line)
       SELECT $1, a.hash, a.line FROM unnest($2::bytea[], $3::int[]) AS a(hash, line) ON CONFLICT DO NOTHING)
     SELECT encode(address_hash, 'hex') AS key, line FROM import_addresses
     WHERE job_id = $1 AND address_hash = ANY($2::bytea[])`,
    [job.id, [...firsts.values()].map(({ hash }) => hash), [...firsts.values()].map(({ line }) => line)],
  )
  const earlier = new Map(rows.map(({ key, line }) => [key, line]))
  return lines.filter((line) => {
    const first = earlier.get(line.key) ?? firsts.get(line.key)?.line
    if (first === undefined || first === line.line) return true
    tell('duplicate', line.line, `The same address as in line ${first}.`)
    return false
  })
}

async function dropSuppressed(tx: Sql, job: ImportJob, lines: readonly Line[], tell: Tell): Promise<Line[]> {
  const addresses = lines.map(({ address }) => address)
  const suppressed = await suppressedAmong(tx, job.workspaceId, job.hash, addresses)
  return lines.filter(({ address, line }) => {
    const by = suppressed.get(address)
    if (by) tell('suppressed', line, `The ${by === 'DOMAIN' ? 'domain' : 'address'} is on the suppression list.`)
    return by === undefined
  })
}

async function lockKnown(tx: Sql, job: ImportJob, lines: readonly Line[]): Promise<Map<string, Known>> {
  const { rows } = await tx.query<Known>(
    `SELECT id, encode(email_hash, 'hex') AS key, unsubscribed_at IS NOT NULL AS unsubscribed,
       archived_at IS NOT NULL OR erased_at IS NOT NULL AS gone, merged_into_id AS "mergedIntoId",
       ARRAY(SELECT jsonb_object_keys(custom_fields)) AS "fieldNames"
     FROM prospects WHERE workspace_id = $1 AND email_hash = ANY($2::bytea[]) ORDER BY id FOR NO KEY UPDATE`,
    [job.workspaceId, lines.map(({ hash }) => hash)],
  )
  return new Map(rows.map((row) => [row.key, row]))
}

/** Who is written, and who is left but joins the list. Whoever has unsubscribed is neither. */
function sort(job: ImportJob, lines: readonly Line[], known: ReadonlyMap<string, Known>, tell: Tell) {
  const toWrite: Line[] = []
  const left: string[] = []
  for (const line of lines) {
    const prospect = known.get(line.key)
    if (!prospect) toWrite.push(line)
    else if (prospect.unsubscribed) tell('unsubscribed', line.line, 'This person has unsubscribed.')
    else if (prospect.mergedIntoId) {
      tell('merged', line.line, 'The address belongs to a prospect that has another one now.')
      left.push(prospect.mergedIntoId)
    } else if (job.options.onKnown === 'leave' && !prospect.gone) left.push(prospect.id)
    else if (new Set([...prospect.fieldNames, ...Object.keys(line.customFields)]).size > CUSTOM_FIELDS_MAX)
      tell('rejected', line.line, TOO_MANY_FIELDS)
    else toWrite.push(line)
  }
  return { toWrite, left }
}

/**
 * New ones are added; known ones get what the file says, and come back from the archive or from erasure under their id.
 * Somebody who was added or has unsubscribed since the look a moment ago is judged here again.
 */
async function upsert(tx: Sql, job: ImportJob, lines: readonly Line[]): Promise<{ id: string; created: boolean }[]> {
  if (lines.length === 0) return []
  const { rows } = await tx.query<{ id: string; created: boolean }>(
    `INSERT INTO prospects (id, workspace_id, email, email_hash, first_name, last_name, company, time_zone, custom_fields,
       created_at, updated_at)
     SELECT r.id, $1, r.email, r.hash, r.first_name, r.last_name, r.company, r.time_zone, r.custom_fields::jsonb,
       app_now(), app_now()
     FROM unnest($2::uuid[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
       AS r(id, email, hash, first_name, last_name, company, time_zone, custom_fields)
     ORDER BY r.hash
     ON CONFLICT (workspace_id, email_hash) DO UPDATE SET email = excluded.email,
       first_name = coalesce(excluded.first_name, prospects.first_name),
       last_name = coalesce(excluded.last_name, prospects.last_name),
       company = coalesce(excluded.company, prospects.company),
       time_zone = coalesce(excluded.time_zone, prospects.time_zone),
       custom_fields = prospects.custom_fields || excluded.custom_fields,
       archived_at = NULL, erased_at = NULL, updated_at = app_now()
     WHERE prospects.unsubscribed_at IS NULL AND prospects.merged_into_id IS NULL
       AND ($10 OR prospects.archived_at IS NOT NULL OR prospects.erased_at IS NOT NULL)
     RETURNING id, xmax = 0 AS created`,
    [
      job.workspaceId,
      lines.map(() => newId()),
      lines.map(({ address }) => address),
      lines.map(({ hash }) => hash),
      lines.map(({ firstName }) => firstName),
      lines.map(({ lastName }) => lastName),
      lines.map(({ company }) => company),
      lines.map(({ timeZone }) => timeZone),
      lines.map(({ customFields }) => JSON.stringify(customFields)),
      job.options.onKnown === 'update',
    ],
  )
  return rows
}

async function keepIssues(tx: Sql, job: ImportJob, issues: readonly ImportIssue[]): Promise<void> {
  if (issues.length === 0) return
  await tx.query(
    `INSERT INTO import_issues (job_id, line, kind, reason)
     SELECT $1, i.line, i.kind, i.reason FROM unnest($2::int[], $3::text[], $4::text[]) AS i(line, kind, reason)`,
    [job.id, issues.map(({ line }) => line), issues.map(({ kind }) => kind), issues.map(({ reason }) => reason)],
  )
}

async function advance(tx: Sql, job: ImportJob, records: number, counts: Counts): Promise<void> {
  await tx.query(
    `UPDATE import_jobs SET committed_records = committed_records + $2, created = created + $3, updated = updated + $4,
       revived = revived + $5, unchanged = unchanged + $6, duplicates = duplicates + $7, suppressed = suppressed + $8,
       unsubscribed = unsubscribed + $9, rejected = rejected + $10
     WHERE id = $1`,
    [
      job.id,
      records,
      counts.created,
      counts.updated,
      counts.revived,
      counts.unchanged,
      counts.duplicates,
      counts.suppressed,
      counts.unsubscribed,
      counts.rejected,
    ],
  )
}
