import { templates } from '#lib/contract/emails.ts'
import { DONE } from '#lib/contract/shared.ts'
import { changeTemplate } from '#lib/outbox/change-template.ts'
import { loadTemplate } from '#lib/outbox/templates.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(templates.read, ({ workspace, params }) =>
  loadTemplate(database(), workspace.id, params.id),
)

export const PATCH = workspaceRoute(templates.edit, ({ workspace, actor, params, body, expected }) =>
  inTransaction(database(), (tx) => changeTemplate(tx, workspace.id, params.id, body, actor, expected)),
)

export const DELETE = workspaceRoute(templates.archive, async ({ workspace, actor, params }) => {
  await inTransaction(database(), (tx) => changeTemplate(tx, workspace.id, params.id, { archived: true }, actor))
  return DONE
})
