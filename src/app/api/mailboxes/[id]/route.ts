import { mailboxes } from '#lib/contract/mailboxes.ts'
import { DONE } from '#lib/contract/shared.ts'
import { editMailbox, removeMailbox } from '#lib/mail/mailboxes/connect-mailbox.ts'
import { readConnected } from '#lib/mail/mailboxes/list-mailboxes.ts'
import { database } from '#lib/platform/database.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { mailboxContext, trialBy } from '#lib/wiring/mailbox-context.ts'
import { limitBySubject } from '../../limit.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(mailboxes.read, async ({ workspace, params }) => ({
  mailbox: await readConnected(database(), workspace.id, params.id),
}))

export const PATCH = workspaceRoute(mailboxes.edit, async (input) => {
  const { workspace, person, params, body, expected } = input
  if (body.smtp && body.test) await limitBySubject(LIMITS.mailboxTestsByPerson, person.id)
  const { testMessage: _, ...change } = body
  const context = { ...mailboxContext(input), trial: trialBy(input) }
  const { failedByLogin } = await editMailbox(context, params.id, change, expected)
  return { failedByLogin, mailbox: await readConnected(database(), workspace.id, params.id) }
})

export const DELETE = workspaceRoute(mailboxes.archive, async (input) => {
  await removeMailbox(mailboxContext(input), input.params.id, input.query.takenOverBy ?? null)
  return DONE
})
