import { z } from 'zod'
import { FINDING_STATES } from '#lib/mail/domains/findings.ts'
import { operation } from './operation.ts'
import { done, idParams } from './shared.ts'

const record = z.object({ name: z.string(), type: z.literal('TXT'), value: z.string() })

const domainOutput = z.object({
  id: z.string(),
  domain: z.string(),
  /** That of our signature, to be added where the domain's DNS is kept. */
  record,
  /** Every record that receivers ask for, as it should stand, with what was found of it. */
  checks: z.array(
    z.object({
      kind: z.enum(['dkim', 'spf', 'dmarc']),
      record,
      finding: z.object({ state: z.enum(FINDING_STATES), sentence: z.string(), found: z.string().nullable() }),
    }),
  ),
  verifiedAt: z.date().nullable(),
  lookedAt: z.date().nullable(),
  createdAt: z.date(),
})

export const domains = {
  list: operation({
    method: 'GET',
    path: '/api/domains',
    summary: 'The domains whose mail is signed (DKIM), with the records that have to stand in DNS.',
    access: 'member',
    output: z.object({ domains: z.array(domainOutput) }),
  }),

  add: operation({
    method: 'POST',
    path: '/api/domains',
    summary: 'Adds a domain with a key of its own. Its mail is signed once the record was verified.',
    access: 'admin',
    body: z.object({ domain: z.string().max(1_000) }),
    makes: { at: '/api/domains' },
    output: domainOutput,
  }),

  verify: operation({
    method: 'POST',
    path: '/api/domains/[id]/verify',
    summary: 'Looks DKIM, SPF and DMARC up in DNS. What is found of DKIM decides whether the domain’s mail is signed.',
    access: 'admin',
    params: idParams,
    output: z.object({ domain: domainOutput, problem: z.string().nullable() }),
  }),

  remove: operation({
    method: 'DELETE',
    path: '/api/domains/[id]',
    summary: 'Removes a domain and its key; its mail goes out unsigned.',
    access: 'admin',
    params: idParams,
    output: done,
  }),
}
