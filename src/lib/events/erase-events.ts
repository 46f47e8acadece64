import type { Sql } from '#lib/platform/database.ts'
import { ERASED_NAME } from './event-types.ts'

/** What programs named and told of these people goes; that something happened, and when, stays with their id. */
export async function eraseEventsOf(tx: Sql, workspaceId: string, prospectIds: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE person_events SET data = '{}', name = CASE type WHEN 'CUSTOM' THEN $3 END
     WHERE workspace_id = $1 AND prospect_id = ANY($2::uuid[]) AND (data <> '{}' OR type = 'CUSTOM')`,
    [workspaceId, prospectIds, ERASED_NAME],
  )
}
