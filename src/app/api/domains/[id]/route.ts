import { domains } from '#lib/contract/mailboxes.ts'
import { DONE } from '#lib/contract/shared.ts'
import { removeDomain } from '#lib/mail/domains/remove-domain.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const DELETE = workspaceRoute(domains.remove, async ({ workspace, actor, params }) => {
  await inTransaction(database(), (tx) => removeDomain(tx, workspace.id, params.id, actor))
  return DONE
})
