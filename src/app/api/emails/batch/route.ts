import { emails } from '#lib/contract/emails.ts'
import { workspaceRoute } from '../../workspace-route.ts'
import { sendAll } from '../send-all.ts'

/** As of one email. */
export const maxDuration = 120

export const POST = workspaceRoute(emails.sendMany, async ({ workspace, request, body }) => {
  const sent = await sendAll(workspace.id, request, body.emails, true)
  return {
    emails: sent.map((one) =>
      one.kind === 'email' ? { email: one.email, error: null } : { email: null, error: one.error },
    ),
  }
})
