import { apiKeys } from '#lib/contract/people.ts'
import { DONE } from '#lib/contract/shared.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { revokeApiKey } from '#lib/tenancy/api-keys/api-keys.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const DELETE = workspaceRoute(apiKeys.revoke, async ({ workspace, actor, params }) => {
  await inTransaction(database(), (tx) => revokeApiKey(tx, workspace.id, params.id, actor))
  return DONE
})
