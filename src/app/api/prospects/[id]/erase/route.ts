import { z } from 'zod'
import { eraseProspect } from '#lib/audience/erase-prospect.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { consequencesIn } from '../../audience.ts'

export const POST = workspaceRoute(
  {
    summary:
      'Erases the personal data of a prospect, for good. What waits is cancelled; that it was sent to stays known.',
    role: 'admin',
    params: idParams,
    output: z.object({ erased: z.number(), cancelledEmails: z.number() }),
  },
  ({ actor, workspace, params }) =>
    inTransaction(database(), (tx) => eraseProspect(tx, workspace.id, params.id, actor, consequencesIn(workspace.id))),
)
