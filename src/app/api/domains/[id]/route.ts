import { removeDomain } from '#lib/mail/remove-domain.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { DONE, done, idParams } from '../../schemas.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const DELETE = workspaceRoute(
  {
    summary: 'Removes a domain and its key; its mail goes out unsigned.',
    role: 'admin',
    params: idParams,
    output: done,
  },
  async ({ workspace, actor, params }) => {
    await inTransaction(database(), (tx) => removeDomain(tx, workspace.id, params.id, actor))
    return DONE
  },
)
