import { emails } from '#lib/contract/emails.ts'
import { listEmails } from '#lib/email-scheduler/transactional/read-emails.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../workspace-route.ts'
import { sendAll } from './send-all.ts'

/** What is handed over goes on after the answer, and must come to its end. */
export const maxDuration = 120

export const GET = workspaceRoute(emails.list, ({ workspace, query }) => listEmails(database(), workspace.id, query))

export const POST = workspaceRoute(emails.send, async ({ workspace, request, body }) => {
  const [sent] = await sendAll(workspace.id, request, [body])
  if (!sent) throw new Error('an email has no answer')
  if (sent.kind === 'refused') throw sent.error
  return { ...sent.email, wasThere: sent.wasThere }
})
