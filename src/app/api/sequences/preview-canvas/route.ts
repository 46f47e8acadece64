import { sequences } from '#lib/contract/sequences.ts'
import { PREVIEW_CANVAS, PREVIEW_CANVAS_HEADERS } from '#lib/mail/message/preview-frame.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const dynamic = 'force-dynamic'

export const GET = workspaceRoute(
  sequences.previewCanvas,
  async () => new Response(PREVIEW_CANVAS, { headers: PREVIEW_CANVAS_HEADERS }),
)
