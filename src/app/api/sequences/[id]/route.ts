import { sequenceIsInUse } from '#lib/campaigns/campaign.ts'
import { sequences } from '#lib/contract/sequences.ts'
import { DONE } from '#lib/contract/shared.ts'
import { editSequence } from '#lib/email-scheduler/effects/edit-sequence.ts'
import { database, inTransaction, tryOut } from '#lib/platform/database.ts'
import { archiveSequence } from '#lib/sequences/archive-sequence.ts'
import { loadSequence } from '#lib/sequences/sequence.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(sequences.read, ({ workspace, params }) =>
  loadSequence(database(), workspace.id, params.id),
)

export const PATCH = workspaceRoute(sequences.edit, ({ workspace, params, query, body, actor, expected }) => {
  if (!query.dryRun)
    return inTransaction(database(), (tx) => editSequence(tx, workspace.id, params.id, body, actor, expected))
  return tryOut(database(), async (tx) => {
    const { version } = await loadSequence(tx, workspace.id, params.id)
    const { sequence, effect } = await editSequence(tx, workspace.id, params.id, body, actor, expected)
    // Nothing is kept, so the version stays: that of the trial will be another person's.
    return { sequence: { ...sequence, version }, effect }
  })
})

export const DELETE = workspaceRoute(sequences.archive, async ({ workspace, params, actor }) => {
  await inTransaction(database(), (tx) => archiveSequence(tx, workspace.id, params.id, actor, sequenceIsInUse))
  return DONE
})
