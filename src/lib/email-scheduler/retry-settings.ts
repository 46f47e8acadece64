import type { Sql } from '#lib/platform/database.ts'
import type { RetryPolicy } from '#lib/platform/generated/enums.ts'
import type { RetrySettings } from './retry-policy.ts'

export async function readRetrySettings(
  tx: Sql,
  workspaceIds: readonly string[],
): Promise<ReadonlyMap<string, RetrySettings>> {
  const { rows } = await tx.query<{ workspace_id: string; retry_policy: RetryPolicy; retry_delays_seconds: number[] }>(
    `SELECT workspace_id, retry_policy, retry_delays_seconds FROM sending_settings WHERE workspace_id = ANY($1::uuid[])`,
    [[...new Set(workspaceIds)]],
  )
  return new Map(
    rows.map((row) => [
      row.workspace_id,
      { retryPolicy: row.retry_policy, retryDelaysSeconds: row.retry_delays_seconds },
    ]),
  )
}
