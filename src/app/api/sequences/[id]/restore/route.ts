import { sequences } from '#lib/contract/sequences.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { restoreSequence } from '#lib/sequences/archive-sequence.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(sequences.restore, ({ workspace, params, actor }) =>
  inTransaction(database(), (tx) => restoreSequence(tx, workspace.id, params.id, actor)),
)
