import { enrolments } from '#lib/contract/enrolments.ts'
import { changePeople } from '#lib/email-scheduler/effects/change-people.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../../workspace-route.ts'

export const POST = workspaceRoute(enrolments.change, ({ workspace, params, body, actor }) =>
  inTransaction(database(), (tx) => changePeople(tx, workspace.id, params.id, body, actor)),
)
