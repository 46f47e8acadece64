import { readSequenceUses } from '#lib/campaigns/of-sequences.ts'
import { sequences } from '#lib/contract/sequences.ts'
import { database } from '#lib/platform/database.ts'
import { createSequence } from '#lib/sequences/change-sequence.ts'
import { listSequences } from '#lib/sequences/sequence.ts'
import { inKeptTransaction, workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(sequences.list, async ({ workspace, query }) => {
  const { sequences: found, nextCursor } = await listSequences(database(), workspace.id, query)
  const ids = found.map(({ id }) => id)
  const uses = await readSequenceUses(database(), workspace.id, ids)
  return { sequences: found.map((one) => ({ campaigns: [], people: 0, ...one, ...uses.get(one.id) })), nextCursor }
})

export const POST = workspaceRoute(sequences.create, ({ workspace, body, actor, keep }) =>
  inKeptTransaction({ keep }, (tx) => createSequence(tx, workspace.id, body, actor)),
)
