import { mailboxes } from '#lib/contract/mailboxes.ts'
import { beginGmail } from '#lib/mail/mailboxes/gmail-mailbox.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { gmailContext } from '#lib/wiring/mailbox-context.ts'
import { limitBySubject } from '../../../limit.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(mailboxes.connectGmail, async (input) => {
  await limitBySubject(LIMITS.mailboxTestsByPerson, input.person.id)
  const { workspace, actor, person, body } = input
  return beginGmail(gmailContext({ workspace, actor, person }), body)
})
