import { z } from 'zod'
import { createList, listLists } from '#lib/audience/lists.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../workspace-route.ts'
import { listNameInput, listOutput } from './schemas.ts'

export const GET = workspaceRoute(
  {
    summary: 'The lists of prospects, by name.',
    role: 'member',
    query: z.object({ archived: z.stringbool().default(false) }),
    output: z.object({ lists: z.array(listOutput) }),
  },
  async ({ workspace, query }) => ({ lists: await listLists(database(), workspace.id, query) }),
)

export const POST = workspaceRoute(
  { summary: 'Makes a list.', role: 'member', body: z.object({ name: listNameInput }), output: listOutput },
  ({ workspace, body }) => createList(database(), workspace.id, body.name),
)
