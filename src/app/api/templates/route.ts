import { templates } from '#lib/contract/emails.ts'
import { createTemplate } from '#lib/outbox/change-template.ts'
import { listTemplates } from '#lib/outbox/templates.ts'
import { database } from '#lib/platform/database.ts'
import { inKeptTransaction, workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(templates.list, ({ workspace, query }) =>
  listTemplates(database(), workspace.id, query),
)

export const POST = workspaceRoute(templates.create, ({ workspace, body, actor, keep }) =>
  inKeptTransaction({ keep }, (tx) => createTemplate(tx, workspace.id, body, actor)),
)
