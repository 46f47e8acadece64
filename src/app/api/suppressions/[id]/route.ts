import { removeSuppression } from '#lib/audience/suppressions.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { DONE, done, idParams } from '../../schemas.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const DELETE = workspaceRoute(
  {
    summary: 'Takes an address or domain off the suppression list. What was cancelled stays cancelled.',
    role: 'admin',
    params: idParams,
    output: done,
  },
  async ({ actor, workspace, params }) => {
    await inTransaction(database(), (tx) => removeSuppression(tx, workspace.id, params.id, actor))
    return DONE
  },
)
