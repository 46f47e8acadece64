import { z } from 'zod'
import { sequenceIsInUse } from '#lib/campaigns/campaign.ts'
import { editSequence } from '#lib/email-scheduler/edit-sequence.ts'
import { database, inTransaction, tryOut } from '#lib/platform/database.ts'
import { archiveSequence } from '#lib/sequences/change-sequence.ts'
import { loadSequence } from '#lib/sequences/sequence.ts'
import { DONE, done, idParams } from '../../schemas.ts'
import { workspaceRoute } from '../../workspace-route.ts'
import { effectOutput, sequenceName, sequenceOutput, stepsInput } from '../schemas.ts'

export const GET = workspaceRoute(
  { summary: 'A sequence with its steps.', role: 'member', params: idParams, output: sequenceOutput },
  ({ workspace, params }) => loadSequence(database(), workspace.id, params.id),
)

export const PATCH = workspaceRoute(
  {
    summary:
      'Changes a sequence. Once launched: texts, waits and new last steps. With dryRun=true, only counts the effect.',
    role: 'member',
    params: idParams,
    query: z.object({ dryRun: z.stringbool().default(false) }),
    body: z.object({ name: sequenceName.optional(), steps: stepsInput.optional() }),
    output: z.object({ sequence: sequenceOutput, effect: effectOutput }),
  },
  ({ workspace, params, query, body, actor }) =>
    (query.dryRun ? tryOut : inTransaction)(database(), (tx) => editSequence(tx, workspace.id, params.id, body, actor)),
)

export const DELETE = workspaceRoute(
  { summary: 'Archives a sequence that no campaign uses any more.', role: 'member', params: idParams, output: done },
  async ({ workspace, params, actor }) => {
    await inTransaction(database(), (tx) => archiveSequence(tx, workspace.id, params.id, actor, sequenceIsInUse))
    return DONE
  },
)
