import { changeSegment } from '#lib/audience/segments.ts'
import { segments } from '#lib/contract/lists.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(segments.restore, ({ workspace, actor, params }) =>
  inTransaction(database(), (tx) => changeSegment(tx, workspace.id, params.id, { archived: false }, actor)),
)
