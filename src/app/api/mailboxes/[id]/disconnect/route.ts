import { mailboxes } from '#lib/contract/mailboxes.ts'
import { disconnectGmail } from '#lib/mail/mailboxes/gmail-mailbox.ts'
import { readConnected } from '#lib/mail/mailboxes/list-mailboxes.ts'
import { database } from '#lib/platform/database.ts'
import { mailboxContext } from '#lib/wiring/mailbox-context.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(mailboxes.disconnect, async (input) => {
  const { revoked } = await disconnectGmail(mailboxContext(input), input.params.id)
  return { revoked, mailbox: await readConnected(database(), input.workspace.id, input.params.id) }
})
