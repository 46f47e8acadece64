import { z } from 'zod'
import { database, inTransaction } from '#lib/platform/database.ts'
import { createSequence } from '#lib/sequences/change-sequence.ts'
import { listSequences } from '#lib/sequences/sequence.ts'
import { pageQuery } from '../schemas.ts'
import { workspaceRoute } from '../workspace-route.ts'
import { sequenceName, sequenceOutput, sequenceSummary, stepsInput } from './schemas.ts'

export const GET = workspaceRoute(
  {
    summary: 'The sequences of the workspace, newest first.',
    role: 'member',
    query: pageQuery,
    output: z.object({ sequences: z.array(sequenceSummary), nextCursor: z.string().nullable() }),
  },
  ({ workspace, query }) => listSequences(database(), workspace.id, query),
)

export const POST = workspaceRoute(
  {
    summary: 'Writes a new sequence. What is wrong with its texts is told, and keeps it from being launched.',
    role: 'member',
    body: z.object({ name: sequenceName, steps: stepsInput.default([]) }),
    output: sequenceOutput,
  },
  ({ workspace, body }) => inTransaction(database(), (tx) => createSequence(tx, workspace.id, body)),
)
