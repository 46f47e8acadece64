import { changeSegment, loadSegment } from '#lib/audience/segments.ts'
import { segments } from '#lib/contract/lists.ts'
import { DONE } from '#lib/contract/shared.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(segments.read, ({ workspace, params }) =>
  loadSegment(database(), workspace.id, params.id),
)

export const PATCH = workspaceRoute(segments.edit, ({ workspace, actor, params, body, expected }) =>
  inTransaction(database(), (tx) => changeSegment(tx, workspace.id, params.id, body, actor, expected)),
)

export const DELETE = workspaceRoute(segments.archive, async ({ workspace, actor, params }) => {
  await inTransaction(database(), (tx) => changeSegment(tx, workspace.id, params.id, { archived: true }, actor))
  return DONE
})
