import { sequences } from '#lib/contract/sequences.ts'
import { previewStep, shownPreview } from '#lib/mail/message/preview.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(sequences.preview, async ({ workspace, params, body, person }) => {
  const by = { appUrl: env().APP_URL, person }
  return shownPreview(await previewStep(database(), workspace.id, { sequenceId: params.id, ...body }, by))
})
