import { sequences } from '#lib/contract/sequences.ts'
import { duplicateSequence } from '#lib/sequences/change-sequence.ts'
import { inKeptTransaction, workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(sequences.duplicate, ({ workspace, params, actor, keep }) =>
  inKeptTransaction({ keep }, (tx) => duplicateSequence(tx, workspace.id, params.id, actor)),
)
