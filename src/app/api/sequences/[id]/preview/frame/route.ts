import { z } from 'zod'
import { previewStep } from '#lib/mail/preview.ts'
import { PREVIEW_FRAME_HEADERS, previewFrame } from '#lib/mail/preview-frame.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { idParams } from '../../../../schemas.ts'
import { workspaceRoute } from '../../../../workspace-route.ts'
import { previewAsk } from '../../../schemas.ts'

export const dynamic = 'force-dynamic'

export const GET = workspaceRoute(
  {
    summary: 'The same as a page for a sandboxed frame: HTML that may run, send and frame nothing.',
    role: 'member',
    params: idParams,
    query: z.object({ ...previewAsk, stepNumber: z.coerce.number().pipe(previewAsk.stepNumber) }),
    output: z.never(),
  },
  async ({ workspace, params, query, person }) => {
    const by = { appUrl: env().APP_URL, person }
    const { rendering } = await previewStep(database(), workspace.id, { sequenceId: params.id, ...query }, by)
    return new Response(previewFrame(rendering), { headers: PREVIEW_FRAME_HEADERS })
  },
)
