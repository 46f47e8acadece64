import { mailboxes } from '#lib/contract/mailboxes.ts'
import { testMailbox } from '#lib/mail/mailboxes/connect-mailbox.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { mailboxContext, trialBy } from '#lib/wiring/mailbox-context.ts'
import { limitBySubject } from '../../../limit.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(mailboxes.test, async (input) => {
  await limitBySubject(LIMITS.mailboxTestsByPerson, input.person.id)
  return testMailbox({ ...mailboxContext(input), trial: trialBy(input) }, input.params.id, input.body)
})
