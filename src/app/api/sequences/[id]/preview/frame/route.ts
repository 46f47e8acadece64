import { sequences } from '#lib/contract/sequences.ts'
import { previewStep } from '#lib/mail/message/preview.ts'
import { PREVIEW_FRAME_HEADERS, previewFrame } from '#lib/mail/message/preview-frame.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { workspaceRoute } from '../../../../workspace-route.ts'

export const dynamic = 'force-dynamic'

export const GET = workspaceRoute(sequences.previewFrame, async ({ workspace, params, query, person }) => {
  const by = { appUrl: env().APP_URL, person }
  const { rendering } = await previewStep(database(), workspace.id, { sequenceId: params.id, ...query }, by)
  return new Response(previewFrame(rendering), { headers: PREVIEW_FRAME_HEADERS })
})
