import { removeSuppression } from '#lib/audience/suppression/suppressions.ts'
import { DONE } from '#lib/contract/shared.ts'
import { suppressions } from '#lib/contract/suppressions.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const DELETE = workspaceRoute(suppressions.remove, async ({ actor, workspace, params, body }) => {
  await inTransaction(database(), (tx) => removeSuppression(tx, workspace.id, params.id, actor, body.reason))
  return DONE
})
