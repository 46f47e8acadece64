import { z } from 'zod'
import { SuppressionSource } from '#lib/platform/generated/enums.ts'
import { operation } from './operation.ts'
import { addressText, done, idParams, pageFields, searchInput } from './shared.ts'

const kind = z.enum(['ADDRESS', 'DOMAIN'])

const reasonText = z.string().trim().max(200, 'A reason has at most 200 characters.')

const suppressionOutput = z.object({
  id: z.string(),
  kind,
  value: z.string().nullable(),
  reason: z.string().nullable(),
  source: z.enum(SuppressionSource),
  createdByEmail: z.string().nullable(),
  createdAt: z.date(),
})

export const suppressions = {
  list: operation({
    method: 'GET',
    path: '/api/suppressions',
    summary: 'Addresses and domains that get no campaign email, newest first.',
    access: 'member',
    query: z.object({ search: searchInput, kind: kind.optional(), ...pageFields }),
    output: z.object({ suppressions: z.array(suppressionOutput), nextCursor: z.string().nullable() }),
  }),

  add: operation({
    method: 'POST',
    path: '/api/suppressions',
    summary: 'Suppresses an address, or a domain with its subdomains, and cancels what waits for them.',
    access: 'member',
    body: z.object({
      value: addressText,
      reason: reasonText.nullish(),
    }),
    output: z.object({ suppression: suppressionOutput, added: z.boolean(), cancelledEmails: z.number() }),
    makes: { at: '/api/suppressions', when: 'added' },
  }),

  addMany: operation({
    method: 'POST',
    path: '/api/suppressions/bulk',
    summary:
      'Suppresses many addresses and domains at once. What cannot be read is answered with its place and the reason, and the others are taken.',
    access: 'member',
    body: z.object({
      values: z.array(addressText).min(1, 'Name at least one.').max(1_000, 'Name at most 1,000 at a time.'),
      reason: reasonText.nullish(),
    }),
    output: z.object({
      added: z.number(),
      known: z.number(),
      cancelledEmails: z.number(),
      refused: z.array(z.object({ index: z.number(), reason: z.string() })),
    }),
  }),

  remove: operation({
    method: 'DELETE',
    path: '/api/suppressions/[id]',
    summary: 'Takes an address or domain off the suppression list. What was cancelled stays cancelled.',
    access: 'admin',
    params: idParams,
    /** Kept in the audit log. */
    body: z.object({ reason: reasonText.optional() }),
    output: done,
  }),
}
