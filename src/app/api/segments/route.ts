import { createSegment, listSegments } from '#lib/audience/segments.ts'
import { segments } from '#lib/contract/lists.ts'
import { database } from '#lib/platform/database.ts'
import { inKeptTransaction, workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(segments.list, async ({ workspace, query }) => ({
  segments: await listSegments(database(), workspace.id, query),
}))

export const POST = workspaceRoute(segments.create, ({ workspace, body, keep }) =>
  inKeptTransaction({ keep }, (tx) => createSegment(tx, workspace.id, body)),
)
