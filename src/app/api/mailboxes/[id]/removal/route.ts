import { mailboxes } from '#lib/contract/mailboxes.ts'
import { loadMailbox } from '#lib/email-scheduler/mailboxes/mailbox.ts'
import { readRemovalEffect } from '#lib/email-scheduler/mailboxes/remove-mailbox.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(mailboxes.removal, async ({ workspace, params }) => {
  await loadMailbox(database(), workspace.id, params.id)
  return readRemovalEffect(database(), workspace.id, params.id)
})
