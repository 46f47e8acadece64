import { listCustomFieldNames } from '#lib/audience/custom-field-names.ts'
import { listProspects } from '#lib/audience/list-prospects.ts'
import { PROSPECT_COLUMNS, type Prospect } from '#lib/audience/prospect.ts'
import type { ProspectFilter } from '#lib/audience/prospect-filter.ts'
import { csvLine } from '#lib/platform/csv.ts'
import type { Sql } from '#lib/platform/database.ts'

export type WhomToExport =
  | { prospectIds: readonly string[] }
  | { filter: ProspectFilter; exceptIds?: readonly string[] | undefined }

const BATCH = 1_000

/** People as CSV, in columns that an import knows again; read batch by batch, so that memory stays flat. */
export async function* exportProspects(sql: Sql, workspaceId: string, whom: WhomToExport): AsyncGenerator<string> {
  const custom = await listCustomFieldNames(sql, workspaceId)
  // Excel reads UTF-8 only when told by this mark.
  yield `\uFEFF${csvLine(['Email', 'First name', 'Last name', 'Company', 'Time zone', ...custom, 'State', 'Added'])}`
  for await (const prospects of pagesOf(sql, workspaceId, whom))
    yield prospects.map((prospect) => csvLine(cellsOf(prospect, custom))).join('')
}

async function* pagesOf(sql: Sql, workspaceId: string, whom: WhomToExport): AsyncGenerator<Prospect[]> {
  if ('prospectIds' in whom) {
    const { rows } = await sql.query<Prospect>(
      `SELECT ${PROSPECT_COLUMNS} FROM prospects p WHERE p.workspace_id = $1 AND p.id = ANY($2::uuid[])
         AND p.erased_at IS NULL AND p.merged_into_id IS NULL ORDER BY p.id DESC`,
      [workspaceId, whom.prospectIds],
    )
    yield rows
    return
  }
  const except = new Set(whom.exceptIds)
  let cursor: string | undefined
  do {
    const page = await listProspects(sql, workspaceId, whom.filter, { cursor, limit: BATCH })
    yield page.prospects.filter(({ id }) => !except.has(id))
    cursor = page.nextCursor ?? undefined
  } while (cursor)
}

function cellsOf(prospect: Prospect, custom: readonly string[]): string[] {
  const { email, firstName, lastName, company, timeZone, createdAt } = prospect
  const customFields = new Map(Object.entries(prospect.customFields))
  return [
    ...[email, firstName, lastName, company, timeZone].map((value) => value ?? ''),
    ...custom.map((name) => String(customFields.get(name) ?? '')),
    stateOf(prospect),
    createdAt.toISOString(),
  ]
}

/** The one that weighs most; a person may have unsubscribed and be archived. */
function stateOf(prospect: Prospect): string {
  if (prospect.archivedAt) return 'archived'
  if (prospect.unsubscribedAt) return 'unsubscribed'
  if (prospect.bouncedAt) return 'bounced'
  if (prospect.repliedAt) return 'replied'
  return prospect.pausedAt ? 'paused' : 'active'
}
