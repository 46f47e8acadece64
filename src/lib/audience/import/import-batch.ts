import type { HashAddress } from '#lib/audience/address-hash.ts'
import { rememberFields } from '#lib/audience/custom-field-names.ts'
import { CUSTOM_FIELDS_MAX, TOO_MANY_FIELDS } from '#lib/audience/fields.ts'
import { joinList } from '#lib/audience/lists.ts'
import type { Consequences } from '#lib/audience/prospect.ts'
import type { ImportOutcome } from '#lib/audience/prospect-filter.ts'
import { suppressedAmong } from '#lib/audience/suppression/suppressed.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import type { CsvRecord } from './csv-records.ts'
import { type ImportOptions, type ImportRow, readRow } from './import-mapping.ts'
import { type ImportIssue, ISSUES_KEPT_MAX, type IssueKind } from './import-report.ts'

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
  /** The line names an address that they had before. */
  isFormer: boolean
  unsubscribed: boolean
  gone: boolean
  mergedIntoId: string | null
  fieldNames: string[]
}

type Counts = Record<
  | 'created'
  | 'updated'
  | 'revived'
  | 'unchanged'
  | 'duplicates'
  | 'suppressed'
  | 'unsubscribed'
  | 'rejected'
  | 'issuesKept',
  number
>

/**
 * Brings some records in, in one transaction with the count of how far the file is: a process that dies has either done
 * all of a batch or nothing of it. The job's row is locked first; when another process is further with the same file, this
 * batch is already in. Answers how many records are in.
 */
export async function commitBatch(
  tx: Sql,
  job: ImportJob,
  from: number,
  records: readonly CsvRecord[],
): Promise<{ committed: number; mine: boolean }> {
  const { rows } = await tx.query<{ committed: number; issuesKept: number }>(
    'SELECT committed_records AS committed, issues_kept AS "issuesKept" FROM import_jobs WHERE id = $1 FOR UPDATE',
    [job.id],
  )
  if (!rows[0]) throw new Error(`the import ${job.id} is gone`)
  const { committed, issuesKept } = rows[0]
  if (committed !== from) return { committed, mine: false }

  const issues: ImportIssue[] = []
  const tell = (kind: IssueKind, line: number, reason: string) => issues.push({ kind, line, reason })
  const read = readLines(job, records, tell)
  const unique = await dropDuplicates(tx, job, read, tell)
  const wanted = await dropSuppressed(tx, job, unique, tell)
  const known = await lockKnown(tx, job, wanted)
  const { toWrite, left, returning } = sort(job, wanted, known, tell)
  await giveBackAddresses(tx, job, returning)
  const written = await upsert(tx, job, toWrite)
  if (job.options.listId) {
    const ids = [...written.map(({ id }) => id), ...left]
    await joinList(tx, job.workspaceId, job.options.listId, ids)
  }
  const changed = written.filter((row) => !row.created).map(({ id }) => id)
  if (changed.length > 0) await job.consequences.fieldsChanged(tx, changed)
  const kept = issues.slice(0, ISSUES_KEPT_MAX - issuesKept)
  await keepIssues(tx, job, kept)
  const count = (kind: IssueKind) => issues.filter((issue) => issue.kind === kind).length
  const gone = new Set([...known.values()].filter((prospect) => prospect.gone).map(({ id }) => id))
  const outcomes = new Map<string, ImportOutcome>(left.map((id) => [id, 'unchanged']))
  for (const row of written) outcomes.set(row.id, outcomeOf(row, gone))
  await keepPeople(tx, job, outcomes)
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
    issuesKept: kept.length,
  })
  await rememberFields(
    tx,
    job.workspaceId,
    toWrite.flatMap(({ customFields }) => Object.keys(customFields)),
  )
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
    `SELECT p.id, encode(named.hash, 'hex') AS key, named.hash <> p.email_hash AS "isFormer", unsubscribed_at IS NOT NULL AS unsubscribed,
       archived_at IS NOT NULL OR erased_at IS NOT NULL AS gone, merged_into_id AS "mergedIntoId",
       ARRAY(SELECT jsonb_object_keys(custom_fields)) AS "fieldNames"
     FROM (
       SELECT id, email_hash AS hash FROM prospects WHERE workspace_id = $1 AND email_hash = ANY($2::bytea[])
       UNION ALL SELECT prospect_id, email_hash FROM former_addresses WHERE workspace_id = $1 AND email_hash = ANY($2::bytea[])
     ) named JOIN prospects p ON p.id = named.id ORDER BY p.id FOR NO KEY UPDATE OF p`,
    [job.workspaceId, lines.map(({ hash }) => hash)],
  )
  return new Map(rows.map((row) => [row.key, row]))
}

/** Who comes back under an address that they had before has it again. */
async function giveBackAddresses(
  tx: Sql,
  job: ImportJob,
  returning: readonly { id: string; line: Line }[],
): Promise<void> {
  if (returning.length === 0) return
  await tx.query(
    `UPDATE prospects p SET email = r.email, email_hash = r.hash FROM unnest($2::uuid[], $3::text[], $4::bytea[]) AS r(id, email, hash)
     WHERE p.workspace_id = $1 AND p.id = r.id`,
    [
      job.workspaceId,
      returning.map(({ id }) => id),
      returning.map(({ line }) => line.address),
      returning.map(({ line }) => line.hash),
    ],
  )
}

/** Which prospects are written, and which are left but join the list. Those that have unsubscribed are neither. */
function sort(job: ImportJob, lines: readonly Line[], known: ReadonlyMap<string, Known>, tell: Tell) {
  const toWrite: Line[] = []
  const left: string[] = []
  const returning: { id: string; line: Line }[] = []
  const named = new Set([...known.values()].filter(({ isFormer }) => !isFormer).map(({ id }) => id))
  for (const line of lines) {
    const prospect = known.get(line.key)
    if (!prospect) toWrite.push(line)
    else if (prospect.unsubscribed) tell('unsubscribed', line.line, 'This person has unsubscribed.')
    else if (prospect.mergedIntoId) {
      tell('merged', line.line, 'The address belongs to a prospect that has another one now.')
      left.push(prospect.mergedIntoId)
    } else if (prospect.isFormer && (!prospect.gone || named.has(prospect.id))) {
      tell('merged', line.line, 'The address belongs to a prospect that has another one now.')
      left.push(prospect.id)
    } else if (job.options.onKnown === 'leave' && !prospect.gone) left.push(prospect.id)
    else if (new Set([...prospect.fieldNames, ...Object.keys(line.customFields)]).size > CUSTOM_FIELDS_MAX)
      tell('rejected', line.line, TOO_MANY_FIELDS)
    else {
      if (prospect.isFormer) returning.push({ id: prospect.id, line })
      named.add(prospect.id)
      toWrite.push(line)
    }
  }
  return { toWrite, left, returning }
}

/**
 * New ones are added; known ones get what the file says, and come back from the archive or from erasure under their id.
 * A prospect that was added or has unsubscribed since lockKnown looked is judged here again.
 */
async function upsert(tx: Sql, job: ImportJob, lines: readonly Line[]): Promise<{ id: string; created: boolean }[]> {
  if (lines.length === 0) return []
  const [winner, other] = job.options.onKnown === 'fill' ? ['prospects', 'excluded'] : ['excluded', 'prospects']
  const first = (column: string) => `${winner}.${column}`
  const second = (column: string) => `${other}.${column}`
  const { rows } = await tx.query<{ id: string; created: boolean }>(
    `INSERT INTO prospects (id, workspace_id, email, email_hash, first_name, last_name, company, time_zone, custom_fields,
       created_at, updated_at)
     SELECT r.id, $1, r.email, r.hash, r.first_name, r.last_name, r.company, r.time_zone, r.custom_fields::jsonb,
       app_now(), app_now()
     FROM unnest($2::uuid[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
       AS r(id, email, hash, first_name, last_name, company, time_zone, custom_fields)
     ORDER BY r.hash
     ON CONFLICT (workspace_id, email_hash) DO UPDATE SET email = excluded.email,
       first_name = coalesce(${first('first_name')}, ${second('first_name')}),
       last_name = coalesce(${first('last_name')}, ${second('last_name')}),
       company = coalesce(${first('company')}, ${second('company')}),
       time_zone = coalesce(${first('time_zone')}, ${second('time_zone')}),
       custom_fields = ${second('custom_fields')} || ${first('custom_fields')},
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
      job.options.onKnown !== 'leave',
    ],
  )
  return rows
}

function outcomeOf({ id, created }: { id: string; created: boolean }, gone: ReadonlySet<string>): ImportOutcome {
  if (created) return 'created'
  return gone.has(id) ? 'revived' : 'updated'
}

/** Two lines may lead to one person, by an address that they had before: the first line counts. */
async function keepPeople(tx: Sql, job: ImportJob, outcomes: ReadonlyMap<string, ImportOutcome>): Promise<void> {
  await tx.query(
    `INSERT INTO import_people (job_id, prospect_id, outcome)
     SELECT $1, i.id, i.outcome FROM unnest($2::uuid[], $3::text[]) AS i(id, outcome) ORDER BY i.id ON CONFLICT DO NOTHING`,
    [job.id, [...outcomes.keys()], [...outcomes.values()]],
  )
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
       unsubscribed = unsubscribed + $9, rejected = rejected + $10, issues_kept = issues_kept + $11
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
      counts.issuesKept,
    ],
  )
}
