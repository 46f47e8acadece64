import { z } from 'zod'
import { LIST_MEMBERS_AT_ONCE_MAX } from '#lib/audience/lists.ts'
import { operation } from './operation.ts'
import { prospectFilter } from './prospects.ts'
import { archivedField, done, idParams, idText } from './shared.ts'

const listName = z
  .string()
  .trim()
  .min(1, 'A list needs a name.')
  .max(100, 'The name of a list has at most 100 characters.')
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'The name of a list is one line of text.')

const listOutput = z
  .object({
    id: z.string(),
    name: z.string(),
    members: z.number(),
    version: z.number(),
    archivedAt: z.date().nullable(),
    createdAt: z.date(),
  })
  .meta({ id: 'List' })

const membersInput = z.object({ prospectIds: z.array(idText).min(1).max(LIST_MEMBERS_AT_ONCE_MAX) })

export const lists = {
  list: operation({
    method: 'GET',
    path: '/api/lists',
    summary: 'The lists of prospects, by name.',
    access: 'member',
    query: z.object(archivedField),
    output: z.object({ lists: z.array(listOutput) }),
  }),

  create: operation({
    method: 'POST',
    path: '/api/lists',
    summary: 'Makes a list.',
    access: 'member',
    body: z.object({ name: listName }),
    makes: { at: '/api/lists/[id]' },
    output: listOutput,
  }),

  read: operation({
    method: 'GET',
    path: '/api/lists/[id]',
    summary: 'One list; GET /api/prospects?listId= answers who is in it.',
    access: 'member',
    params: idParams,
    versioned: 'version',
    output: listOutput,
  }),

  edit: operation({
    method: 'PATCH',
    path: '/api/lists/[id]',
    summary: 'Renames a list, or takes it out of the archive.',
    access: 'member',
    params: idParams,
    body: z.object({ name: listName.optional(), archived: z.boolean().optional() }),
    versioned: 'version',
    output: listOutput,
  }),

  archive: operation({
    method: 'DELETE',
    path: '/api/lists/[id]',
    summary: 'Archives a list. The prospects in it stay as they are.',
    access: 'member',
    params: idParams,
    output: done,
  }),

  restore: operation({
    method: 'POST',
    path: '/api/lists/[id]/restore',
    summary:
      'Brings a list back from the archive. Where another has its name by now, PATCH it with archived: false and a new name.',
    access: 'member',
    params: idParams,
    output: listOutput,
  }),

  addMembers: operation({
    method: 'POST',
    path: '/api/lists/[id]/members',
    summary: 'Puts prospects into a list; those already in it count for nothing.',
    access: 'member',
    params: idParams,
    body: membersInput,
    output: z.object({ added: z.number() }),
  }),

  removeMembers: operation({
    method: 'DELETE',
    path: '/api/lists/[id]/members',
    summary: 'Takes prospects out of a list.',
    access: 'member',
    params: idParams,
    body: membersInput,
    output: z.object({ removed: z.number() }),
  }),
}

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
