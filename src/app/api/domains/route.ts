import { z } from 'zod'
import { addDomain } from '#lib/mail/add-domain.ts'
import { listDomains } from '#lib/mail/sending-domain.ts'
import { database } from '#lib/platform/database.ts'
import { keyring } from '../keyring.ts'
import { workspaceRoute } from '../workspace-route.ts'
import { domainOutput } from './schemas.ts'

export const GET = workspaceRoute(
  {
    summary: 'The domains whose mail is signed (DKIM), with the records that have to stand in DNS.',
    role: 'member',
    output: z.object({ domains: z.array(domainOutput) }),
  },
  async ({ workspace }) => ({ domains: await listDomains(database(), workspace.id) }),
)

export const POST = workspaceRoute(
  {
    summary: 'Adds a domain with a key of its own. Its mail is signed once the record was verified.',
    role: 'admin',
    body: z.object({ domain: z.string().max(1_000) }),
    output: domainOutput,
  },
  ({ workspace, actor, body }) => addDomain(database(), keyring(), workspace.id, body.domain, actor),
)
