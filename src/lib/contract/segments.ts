import { z } from 'zod'
import { operation } from './operation.ts'
import { prospectFilter } from './prospects.ts'
import { archivedField, done, idParams } from './shared.ts'

const segmentName = z
  .string()
  .trim()
  .min(1, 'A segment needs a name.')
  .max(100, 'The name of a segment has at most 100 characters.')
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'The name of a segment is one line of text.')

const filter = z.object(prospectFilter)

const segmentOutput = z
  .object({
    id: z.string(),
    name: z.string(),
    filter,
    version: z.number(),
    archivedAt: z.date().nullable(),
    createdAt: z.date(),
  })
  .meta({ id: 'Segment' })

export const segments = {
  list: operation({
    method: 'GET',
    path: '/api/segments',
    summary: 'The saved filters of prospects, by name.',
    access: 'member',
    query: z.object(archivedField),
    output: z.object({ segments: z.array(segmentOutput) }),
  }),

  create: operation({
    method: 'POST',
    path: '/api/segments',
    summary: 'Saves a filter under a name. Who is in it is asked anew each time.',
    access: 'member',
    body: z.object({ name: segmentName, filter }),
    makes: { at: '/api/segments/[id]' },
    output: segmentOutput,
  }),

  read: operation({
    method: 'GET',
    path: '/api/segments/[id]',
    summary: 'One segment.',
    access: 'member',
    params: idParams,
    versioned: 'version',
    output: segmentOutput,
  }),

  edit: operation({
    method: 'PATCH',
    path: '/api/segments/[id]',
    summary: 'Renames a segment, filters otherwise, or takes it out of the archive.',
    access: 'member',
    params: idParams,
    body: z.object({ name: segmentName.optional(), filter: filter.optional(), archived: z.boolean().optional() }),
    versioned: 'version',
    output: segmentOutput,
  }),

  archive: operation({
    method: 'DELETE',
    path: '/api/segments/[id]',
    summary: 'Archives a segment. Nobody in it changes.',
    access: 'member',
    params: idParams,
    output: done,
  }),

  restore: operation({
    method: 'POST',
    path: '/api/segments/[id]/restore',
    summary:
      'Brings a segment back from the archive. Where another has its name by now, PATCH it with archived: false and a new name.',
    access: 'member',
    params: idParams,
    output: segmentOutput,
  }),
}
