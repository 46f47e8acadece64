import { loadProspect } from '#lib/audience/list-prospects.ts'
import {
  type Consequences,
  PROSPECT_COLUMNS,
  type Prospect,
  type ProspectTraces,
  prospectTarget,
} from '#lib/audience/prospect.ts'
import { exportEvents } from '#lib/events/list-events.ts'
import type { Sql } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { addressesOf } from './former-addresses.ts'

type Row = Record<string, unknown>

export type ProspectExport = ProspectTraces & {
  prospect: Prospect
  mergedProspects: Prospect[]
  /** Those that they had before. */
  formerAddresses: Row[]
  lists: Row[]
  suppressions: Row[]
  /** What happened with them. */
  personEvents: Row[]
}

/** Everything held about one person, under whichever of their ids it is asked for. */
export async function exportProspect(
  tx: Sql,
  workspaceId: string,
  id: string,
  actor: Actor,
  { exportTraces }: Pick<Consequences, 'exportTraces'>,
): Promise<ProspectExport> {
  const named = await loadProspect(tx, workspaceId, id)
  const prospect = named.mergedIntoId ? await loadProspect(tx, workspaceId, named.mergedIntoId) : named
  const merged = await tx.query<Prospect>(
    `SELECT ${PROSPECT_COLUMNS} FROM prospects p WHERE p.workspace_id = $1 AND p.merged_into_id = $2 ORDER BY p.id`,
    [workspaceId, prospect.id],
  )
  const ids = [prospect.id, ...merged.rows.map((row) => row.id)]
  const rows = async (sql: string) => (await tx.query<Row>(sql, [workspaceId, ids])).rows
  const exported: ProspectExport = {
    prospect,
    mergedProspects: merged.rows,
    formerAddresses: await rows(
      `SELECT email, left_at AS "leftAt" FROM former_addresses
       WHERE workspace_id = $1 AND prospect_id = ANY($2::uuid[]) ORDER BY left_at, email`,
    ),
    lists: await rows(
      `SELECT l.name, m.added_at AS "addedAt" FROM list_members m JOIN prospect_lists l ON l.id = m.list_id
       WHERE l.workspace_id = $1 AND m.prospect_id = ANY($2::uuid[]) ORDER BY m.added_at, l.id`,
    ),
    suppressions: await rows(
      `SELECT s.kind, s.value, s.reason, s.source, s.created_at AS "createdAt" FROM suppressions s
       JOIN prospects p ON p.email_hash = s.value_hash AND p.workspace_id = s.workspace_id
       WHERE s.workspace_id = $1 AND p.id = ANY($2::uuid[]) ORDER BY s.id`,
    ),
    personEvents: await exportEvents(tx, workspaceId, ids),
    ...(await exportTraces(tx, ids, await addressesOf(tx, ids))),
  }
  await recordAudit(tx, workspaceId, { action: 'prospect.exported', actor, target: prospectTarget(id) })
  return exported
}
