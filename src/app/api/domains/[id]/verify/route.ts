import { domains } from '#lib/contract/mailboxes.ts'
import { verifyDomain } from '#lib/mail/domains/verify-domain.ts'
import { database } from '#lib/platform/database.ts'
import { resolveTxt } from '#lib/wiring/dns.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(domains.verify, ({ workspace, actor, params }) =>
  verifyDomain(database(), workspace.id, params.id, actor, resolveTxt),
)
