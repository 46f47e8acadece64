import { mailboxes } from '#lib/contract/mailboxes.ts'
import { restoreMailbox } from '#lib/email-scheduler/mailboxes/change-mailbox.ts'
import { readConnected } from '#lib/mail/mailboxes/list-mailboxes.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(mailboxes.restore, async ({ workspace, params, actor }) => {
  await inTransaction(database(), (tx) => restoreMailbox(tx, workspace.id, params.id, actor))
  return { mailbox: await readConnected(database(), workspace.id, params.id) }
})
