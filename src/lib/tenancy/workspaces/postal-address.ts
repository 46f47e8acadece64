import { z } from 'zod'
import type { Sql } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'

/** Stands below every campaign email, as the law in most places wants it: several lines, nothing that is not text. */
export const postalAddressSchema = z
  .string()
  .trim()
  .min(1, 'A postal address is needed.')
  .max(500, 'A postal address has at most 500 characters.')
  .regex(
    /^[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]*(\r?\n[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]*)*$/u,
    {
      error: 'A postal address is plain text.',
    },
  )

/** After changeWorkspace has locked the workspace, in fairness to marks, and looked at the person's role. */
export async function changePostalAddress(
  tx: Sql,
  workspace: { id: string; name: string },
  actor: Actor,
  address: string,
): Promise<void> {
  const { rowCount } = await tx.query(
    'UPDATE sending_settings SET postal_address = $2, updated_at = app_now() WHERE workspace_id = $1 AND postal_address <> $2',
    [workspace.id, address],
  )
  if (rowCount === 0) return
  await recordAudit(tx, workspace.id, {
    action: 'workspace.postal-address-changed',
    actor,
    target: { kind: 'workspace', id: workspace.id, name: workspace.name },
    details: { after: address },
  })
}
