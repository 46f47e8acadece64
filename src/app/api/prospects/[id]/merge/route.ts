import { z } from 'zod'
import { mergeProspects } from '#lib/audience/merge-prospects.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { consequencesIn } from '../../audience.ts'
import { prospectOutput } from '../../schemas.ts'

export const POST = workspaceRoute(
  {
    summary: 'Merges another prospect into this one. What waits for the other is cancelled; this cannot be undone.',
    role: 'member',
    params: idParams,
    body: z.object({ loserId: z.uuid() }),
    output: z.object({ prospect: prospectOutput, cancelledEmails: z.number() }),
  },
  ({ actor, workspace, params, body }) =>
    inTransaction(database(), (tx) =>
      mergeProspects(
        tx,
        workspace.id,
        { winnerId: params.id, loserId: body.loserId },
        actor,
        consequencesIn(workspace.id),
      ),
    ),
)
