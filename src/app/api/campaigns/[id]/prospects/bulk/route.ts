import { removeLater } from '#lib/campaigns/remove-later.ts'
import { enrolments } from '#lib/contract/enrolments.ts'
import { changePeople } from '#lib/email-scheduler/effects/change-people.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../../workspace-route.ts'

export const POST = workspaceRoute(enrolments.change, ({ workspace, params, body: { at, ...wish }, actor }) =>
  inTransaction(database(), async (tx) => {
    if (!at) return changePeople(tx, workspace.id, params.id, wish, actor)
    return { changed: await removeLater(tx, workspace.id, params.id, { ...wish, at }, actor), cancelled: 0 }
  }),
)
