import { Resolver } from 'node:dns/promises'
import { z } from 'zod'
import { verifyDomain } from '#lib/mail/verify-domain.ts'
import { database } from '#lib/platform/database.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { domainOutput } from '../../schemas.ts'

const ANSWER_MS_MAX = 3_000

export const POST = workspaceRoute(
  {
    summary: 'Looks the record up in DNS. What is found there decides whether the domain’s mail is signed.',
    role: 'admin',
    params: idParams,
    output: z.object({ domain: domainOutput, problem: z.string().nullable() }),
  },
  ({ workspace, actor, params }) => {
    const resolver = new Resolver({ timeout: ANSWER_MS_MAX, tries: 2 })
    return verifyDomain(database(), workspace.id, params.id, actor, (name) => resolver.resolveTxt(name))
  },
)
