import { z } from 'zod'
import { previewStep } from '#lib/mail/preview.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { missingSentence } from '#lib/sequences/merge-fields.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { previewAsk, previewOutput, textsInput } from '../../schemas.ts'

export const POST = workspaceRoute(
  {
    summary:
      'A step as a real prospect would get it, with the texts that are saved or those that come along. Nothing is kept.',
    role: 'member',
    params: idParams,
    body: z.object({ ...previewAsk, texts: textsInput.optional() }),
    output: previewOutput,
  },
  async ({ workspace, params, body, person }) => {
    const by = { appUrl: env().APP_URL, person }
    const { rendering, notes } = await previewStep(database(), workspace.id, { sequenceId: params.id, ...body }, by)
    if (rendering.kind === 'missing-fields')
      return { ...rendering, sentence: missingSentence(rendering.missing), notes }
    if (rendering.kind === 'unrenderable') return { kind: rendering.kind, sentence: rendering.reason, notes }
    const { from, to, subject, text, html } = rendering.content
    return { kind: rendering.kind, from, to, subject, text, html, notes }
  },
)
