import { apiKeys } from '#lib/contract/people.ts'
import { database } from '#lib/platform/database.ts'
import { listApiKeys, makeApiKey } from '#lib/tenancy/api-keys/api-keys.ts'
import { inKeptTransaction, workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(apiKeys.list, async ({ workspace }) => ({
  apiKeys: await listApiKeys(database(), workspace.id),
}))

export const POST = workspaceRoute(apiKeys.make, ({ workspace, actor, body, keep }) =>
  inKeptTransaction({ keep }, (tx) => makeApiKey(tx, workspace.id, body, actor)),
)
