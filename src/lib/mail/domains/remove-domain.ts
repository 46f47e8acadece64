import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import { forgetCredentials } from '#lib/tenancy/credentials/credentials.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { domainTarget, privateKeyPlace } from './sending-domain.ts'

/** Its mail goes out unsigned from now on; the private key is gone. */
export async function removeDomain(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<void> {
  const { rows } = await tx.query<{ domain: string }>(
    'DELETE FROM sending_domains WHERE workspace_id = $1 AND id = $2 RETURNING domain',
    [workspaceId, id],
  )
  const removed = rows[0]
  if (!removed) throw notFound()
  await forgetCredentials(tx, privateKeyPlace(workspaceId, id))
  await recordAudit(tx, workspaceId, { action: 'domain.removed', actor, target: domainTarget({ id, ...removed }) })
}
