import { z } from 'zod'
import { changeList, loadList } from '#lib/audience/lists.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { DONE, done, idParams } from '../../schemas.ts'
import { workspaceRoute } from '../../workspace-route.ts'
import { listNameInput, listOutput } from '../schemas.ts'

export const GET = workspaceRoute(
  {
    summary: 'One list; GET /api/prospects?listId= answers who is in it.',
    role: 'member',
    params: idParams,
    output: listOutput,
  },
  ({ workspace, params }) => loadList(database(), workspace.id, params.id),
)

export const PATCH = workspaceRoute(
  {
    summary: 'Renames a list, or takes it out of the archive.',
    role: 'member',
    params: idParams,
    body: z.object({ name: listNameInput.optional(), archived: z.boolean().optional() }),
    output: listOutput,
  },
  ({ workspace, params, body }) => inTransaction(database(), (tx) => changeList(tx, workspace.id, params.id, body)),
)

export const DELETE = workspaceRoute(
  { summary: 'Archives a list. The prospects in it stay as they are.', role: 'member', params: idParams, output: done },
  async ({ workspace, params }) => {
    await inTransaction(database(), (tx) => changeList(tx, workspace.id, params.id, { archived: true }))
    return DONE
  },
)
