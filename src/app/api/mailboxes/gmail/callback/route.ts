import { mailboxes } from '#lib/contract/mailboxes.ts'
import { finishGmail } from '#lib/mail/mailboxes/gmail-mailbox.ts'
import { readConnected } from '#lib/mail/mailboxes/list-mailboxes.ts'
import { database } from '#lib/platform/database.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { gmailContext } from '#lib/wiring/mailbox-context.ts'
import { limitBySubject } from '../../../limit.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(mailboxes.finishGmail, async (input) => {
  await limitBySubject(LIMITS.mailboxTestsByPerson, input.person.id)
  const { mailboxId, ...finished } = await finishGmail(gmailContext(input), input.body)
  return { ...finished, mailbox: await readConnected(database(), input.workspace.id, mailboxId) }
})
