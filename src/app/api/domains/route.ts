import { domains } from '#lib/contract/mailboxes.ts'
import { addDomain } from '#lib/mail/domains/add-domain.ts'
import { listDomains } from '#lib/mail/domains/sending-domain.ts'
import { database } from '#lib/platform/database.ts'
import { keyring } from '#lib/wiring/keyring.ts'
import { workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(domains.list, async ({ workspace }) => ({
  domains: await listDomains(database(), workspace.id),
}))

export const POST = workspaceRoute(domains.add, ({ workspace, actor, body, keep }) =>
  addDomain(database(), keyring(), workspace.id, body.domain, actor, keep),
)
