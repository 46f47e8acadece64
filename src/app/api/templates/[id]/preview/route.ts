import { templates } from '#lib/contract/emails.ts'
import { shownPreview } from '#lib/mail/message/preview.ts'
import { previewTemplate } from '#lib/outbox/preview-template.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(templates.preview, async ({ workspace, params, body, person }) =>
  shownPreview(await previewTemplate(database(), workspace.id, { templateId: params.id, ...body }, person)),
)
