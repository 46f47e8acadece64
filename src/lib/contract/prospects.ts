import { z } from 'zod'
import {
  customFieldChangeSchema,
  customFieldNameSchema,
  customFieldsSchema,
  prospectFieldsSchema,
} from '#lib/audience/fields.ts'
import { PROSPECT_STATE_NAMES } from '#lib/audience/prospect.ts'
import { IMPORT_OUTCOMES } from '#lib/audience/prospect-filter.ts'
import { ACTIONS_ON_MANY } from '#lib/audience/prospects/actions-on-many.ts'
import { EnrolmentState } from '#lib/platform/generated/enums.ts'
import { personEvent } from './events.ts'
import { operation } from './operation.ts'
import { addressText, done, emailStatus, idParams, idText, instant, pageFields, searchInput } from './shared.ts'

const prospectOutput = z
  .object({
    id: z.string(),
    email: z.string().nullable(),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    company: z.string().nullable(),
    customFields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    timeZone: z.string().nullable(),
    pausedAt: z.date().nullable(),
    repliedAt: z.date().nullable(),
    bouncedAt: z.date().nullable(),
    unsubscribedAt: z.date().nullable(),
    archivedAt: z.date().nullable(),
    erasedAt: z.date().nullable(),
    mergedIntoId: z.string().nullable(),
    version: z.number(),
    createdAt: z.date(),
    updatedAt: z.date(),
  })
  .meta({ id: 'Prospect' })

/** Which of them, here and where a campaign enrols them. */
export const prospectFilter = {
  search: searchInput,
  listId: idText.optional(),
  state: z.enum(PROSPECT_STATE_NAMES).optional(),
  /** Whether anything was, or may have been, sent to them. */
  contacted: z.enum(['yes', 'no']).optional(),
  /** A field that is set, and one that is empty: firstName, lastName, company, timeZone, or a field of the workspace's own. */
  has: customFieldNameSchema.optional(),
  lacks: customFieldNameSchema.optional(),
  /** Whom an import has brought in; with what outcome. */
  importId: idText.optional(),
  outcome: z.enum(IMPORT_OUTCOMES).optional(),
}

/** Whom an act on many is for: named one by one, or all who match. */
const manyFields = {
  prospectIds: z.array(idText).min(1, 'Name at least one person.').max(10_000, 'Name at most 10,000 at a time.'),
  filter: z.object(prospectFilter),
  /** With a filter: nobody who was added after this one. */
  upToId: idText,
  /** With a filter: those who match and are not meant. */
  exceptIds: z.array(idText).max(1_000, 'Leave out at most 1,000.'),
}

const inOneWay = (body: { prospectIds?: unknown; filter?: unknown }) =>
  (body.prospectIds === undefined) !== (body.filter === undefined)
const ONE_WAY = { error: 'Say whom it is for in one way: prospectIds or filter.' }

const suppressedBy = z.enum(['ADDRESS', 'DOMAIN'])

const rows = z.array(z.record(z.string(), z.unknown()))

export const prospects = {
  list: operation({
    method: 'GET',
    path: '/api/prospects',
    summary: 'The prospects of the workspace, newest first; those that are archived only with state=archived.',
    access: 'member',
    query: z.object({
      ...prospectFilter,
      ...pageFields,
      /** The last one that belongs to the page: a page that was read before, in the same bounds. */
      untilId: idText.optional(),
    }),
    output: z.object({
      prospects: z.array(prospectOutput.extend({ suppressedBy: suppressedBy.nullable() })),
      nextCursor: z.string().nullable(),
    }),
  }),

  count: operation({
    method: 'GET',
    path: '/api/prospects/count',
    summary: 'How many prospects match.',
    access: 'member',
    query: z.object(prospectFilter),
    output: z.object({ count: z.number() }),
  }),

  fields: operation({
    method: 'GET',
    path: '/api/prospects/fields',
    summary: 'The names of the custom fields that prospects of the workspace have or had.',
    access: 'member',
    output: z.object({ fields: z.array(z.string()) }),
  }),

  changeMany: operation({
    method: 'POST',
    path: '/api/prospects/bulk',
    summary:
      'Does one thing to many prospects: by id, or all who match. Where time runs out, nextCursor says where to go on; `at` goes with it. The opposite with doneAt takes back what was done at that moment.',
    access: 'member',
    body: z
      .object({
        action: z.enum(ACTIONS_ON_MANY),
        listId: idText.optional(),
        doneAt: instant.optional(),
        at: instant.optional(),
        cursor: idText.optional(),
        prospectIds: manyFields.prospectIds.optional(),
        filter: manyFields.filter.optional(),
        upToId: manyFields.upToId.optional(),
        exceptIds: manyFields.exceptIds.optional(),
      })
      .refine(inOneWay, ONE_WAY)
      .refine(({ action, listId }) => action.endsWith('-list') === (listId !== undefined), {
        error: 'A list belongs to what is done with lists, and to nothing else.',
        path: ['listId'],
      }),
    example: { action: 'archive', filter: { contacted: 'no', lacks: 'company' } },
    output: z.object({
      changed: z.number(),
      cancelledEmails: z.number(),
      at: z.date(),
      nextCursor: z.string().nullable(),
    }),
  }),

  exportMany: operation({
    method: 'POST',
    path: '/api/prospects/export',
    summary: 'Prospects as CSV, by id or all who match. The audit log keeps who asked.',
    access: 'admin',
    body: z
      .object({
        prospectIds: manyFields.prospectIds.optional(),
        filter: manyFields.filter.optional(),
        exceptIds: manyFields.exceptIds.optional(),
      })
      .refine(inOneWay, ONE_WAY),
    example: { filter: { search: 'example.com' } },
    download: 'text/csv',
  }),

  add: operation({
    method: 'POST',
    path: '/api/prospects',
    summary: 'Adds a prospect, or brings back one that was archived or erased, under the same id.',
    access: 'member',
    body: prospectFieldsSchema.extend({ email: addressText, customFields: customFieldsSchema.optional() }),
    makes: { at: '/api/prospects/[id]', id: 'prospect.id', unless: 'revived' },
    output: z.object({ prospect: prospectOutput, revived: z.boolean() }),
  }),

  read: operation({
    method: 'GET',
    path: '/api/prospects/[id]',
    summary: 'One prospect, with the lists it is in. Of a merged one the answer says into whom.',
    access: 'member',
    params: idParams,
    versioned: 'prospect.version',
    output: z.object({
      prospect: prospectOutput,
      lists: z.array(z.object({ id: z.string(), name: z.string() })),
      suppressedBy: suppressedBy.nullable(),
      formerAddresses: z.array(z.object({ email: z.string(), leftAt: z.date() })),
    }),
  }),

  history: operation({
    method: 'GET',
    path: '/api/prospects/[id]/history',
    summary:
      'Every email that was or will be sent to a prospect and to those merged into them, the latest first, and the campaigns they are in.',
    access: 'member',
    params: idParams,
    output: z.object({
      emails: z.array(
        z.object({
          id: z.string(),
          status: emailStatus,
          sentence: z.string(),
          campaign: z.object({ id: z.string(), name: z.string() }).nullable(),
          stepNumber: z.number().nullable(),
          subject: z.string().nullable(),
          mailbox: z.string(),
          /** When it was sent, ended, or is to go. */
          at: z.date(),
          attempts: z.number(),
          lastError: z.string().nullable(),
        }),
      ),
      /** More than are listed here; the email queue lists all. */
      isCut: z.boolean(),
      /** What was opened and clicked, and what programs told, the latest first. */
      events: z.array(personEvent),
      enrolments: z.array(
        z.object({
          id: z.string(),
          campaign: z.object({ id: z.string(), name: z.string() }),
          state: z.enum(EnrolmentState),
          reason: z.string().nullable(),
          createdAt: z.date(),
        }),
      ),
    }),
  }),

  edit: operation({
    method: 'PATCH',
    path: '/api/prospects/[id]',
    summary: 'Changes a prospect; what is not named stays. Archiving, unsubscribing and a reply cancel what waits.',
    access: 'member',
    params: idParams,
    body: prospectFieldsSchema.extend({
      email: addressText.optional(),
      customFields: customFieldChangeSchema.optional(),
      paused: z.boolean().optional(),
      archived: z.boolean().optional(),
      unsubscribed: z.literal(true, 'Only the person themselves subscribes again.').optional(),
      /** A person has read their answer; false takes it back. */
      replied: z.boolean().optional(),
    }),
    versioned: 'version',
    output: prospectOutput,
  }),

  archive: operation({
    method: 'DELETE',
    path: '/api/prospects/[id]',
    summary: 'Archives a prospect and cancels what waits for it.',
    access: 'member',
    params: idParams,
    output: done,
  }),

  restore: operation({
    method: 'POST',
    path: '/api/prospects/[id]/restore',
    summary: 'Brings a prospect back from the archive. What was cancelled stays cancelled.',
    access: 'member',
    params: idParams,
    output: prospectOutput,
  }),

  merge: operation({
    method: 'POST',
    path: '/api/prospects/[id]/merge',
    summary: 'Merges another prospect into this one. What waits for the other is cancelled; this cannot be undone.',
    access: 'member',
    params: idParams,
    body: z.object({ loserId: idText }),
    output: z.object({ prospect: prospectOutput, cancelledEmails: z.number() }),
  }),

  erase: operation({
    method: 'POST',
    path: '/api/prospects/[id]/erase',
    summary:
      'Erases the personal data of a prospect, for good. What waits is cancelled; that it was sent to stays known.',
    access: 'admin',
    params: idParams,
    output: z.object({ erased: z.number(), cancelledEmails: z.number() }),
  }),

  export: operation({
    method: 'GET',
    path: '/api/prospects/[id]/export',
    summary: 'Everything held about one person, for them to be given. The audit log keeps who asked.',
    access: 'admin',
    params: idParams,
    output: z.object({
      prospect: prospectOutput,
      mergedProspects: z.array(prospectOutput),
      formerAddresses: rows,
      lists: rows,
      suppressions: rows,
      personEvents: rows,
      enrolments: rows,
      emails: rows,
      contents: rows,
      attempts: rows,
      events: rows,
      journeys: rows,
      journeySteps: rows,
      journeyWaits: rows,
      actions: rows,
    }),
  }),
}
