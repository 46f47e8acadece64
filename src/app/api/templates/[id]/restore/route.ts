import { templates } from '#lib/contract/emails.ts'
import { changeTemplate } from '#lib/outbox/change-template.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(templates.restore, ({ workspace, actor, params }) =>
  inTransaction(database(), (tx) => changeTemplate(tx, workspace.id, params.id, { archived: false }, actor)),
)
