import { sequences } from '#lib/contract/sequences.ts'
import { composeMessage } from '#lib/mail/message/compose.ts'
import { previewStep } from '#lib/mail/message/preview.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { missingSentence } from '#lib/sequences/merge-fields.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(sequences.preview, async ({ workspace, params, body, person }) => {
  const by = { appUrl: env().APP_URL, person }
  const { rendering, notes } = await previewStep(database(), workspace.id, { sequenceId: params.id, ...body }, by)
  if (rendering.kind === 'missing-fields') return { ...rendering, sentence: missingSentence(rendering.missing), notes }
  if (rendering.kind === 'unrenderable') return { kind: rendering.kind, sentence: rendering.reason, notes }
  const { from, to, subject, text, html } = rendering.content
  const { raw } = await composeMessage(rendering.content)
  return { kind: rendering.kind, from, to, subject, text, html, raw: raw.toString(), notes }
})
