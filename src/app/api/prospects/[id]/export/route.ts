import { z } from 'zod'
import { exportProspect } from '#lib/audience/export-prospect.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { prospectOutput } from '../../schemas.ts'

const rows = z.array(z.record(z.string(), z.unknown()))

export const GET = workspaceRoute(
  {
    summary: 'Everything held about one person, for them to be given. The audit log keeps who asked.',
    role: 'admin',
    params: idParams,
    output: z.object({
      prospect: prospectOutput,
      mergedProspects: z.array(prospectOutput),
      lists: rows,
      suppressions: rows,
      enrolments: rows,
      emails: rows,
      contents: rows,
      attempts: rows,
      events: rows,
    }),
  },
  ({ actor, workspace, params }) =>
    inTransaction(database(), (tx) => exportProspect(tx, workspace.id, params.id, actor)),
)
