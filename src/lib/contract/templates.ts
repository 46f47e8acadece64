import { z } from 'zod'
import { fieldValues } from './emails.ts'
import { operation } from './operation.ts'
import { previewOutput, textName, textProblem, textsInput, writtenTexts } from './sequences.ts'
import { archivedField, done, idParams, pageFields, searchInput } from './shared.ts'

const summaryFields = {
  id: z.string(),
  name: z.string(),
  subject: z.string(),
  archivedAt: z.date().nullable(),
  version: z.number(),
  createdAt: z.date(),
  updatedAt: z.date(),
}

const templateOutput = z
  .object({
    ...summaryFields,
    bodyText: z.string(),
    bodyHtml: z.string(),
    /** What a call has to give; fields with a fallback everywhere, and those that the email knows itself, are not among them. */
    fieldsNeeded: z.array(z.string()),
    /** What keeps it from being sent. */
    problems: z.array(textProblem),
  })
  .meta({ id: 'Template' })

/** As it stands in the editor, saved or not, and what its fields would say. */
const previewAsk = { texts: textsInput.optional(), fields: fieldValues }

export const templates = {
  list: operation({
    method: 'GET',
    path: '/api/templates',
    summary: 'The templates of the workspace, newest first.',
    access: 'member',
    query: z.object({ ...pageFields, ...archivedField, search: searchInput }),
    output: z.object({ templates: z.array(z.object(summaryFields)), nextCursor: z.string().nullable() }),
  }),

  create: operation({
    method: 'POST',
    path: '/api/templates',
    summary: 'Writes a template. What is wrong with its texts is told, and keeps it from being sent.',
    access: 'member',
    body: z.object({
      name: textName,
      subject: writtenTexts.subject.default(''),
      bodyText: writtenTexts.bodyText.default(''),
      bodyHtml: writtenTexts.bodyHtml.default(''),
    }),
    example: {
      name: 'Table booked',
      subject: 'Your table on {{custom.day}}',
      bodyText: 'Hello {{firstName | "there"}},\n\nwe look forward to seeing you on {{custom.day}}.',
    },
    makes: { at: '/api/templates/[id]' },
    output: templateOutput,
  }),

  read: operation({
    method: 'GET',
    path: '/api/templates/[id]',
    summary: 'One template.',
    access: 'member',
    params: idParams,
    versioned: 'version',
    output: templateOutput,
  }),

  edit: operation({
    method: 'PATCH',
    path: '/api/templates/[id]',
    summary:
      'Renames a template, writes it anew, or takes it out of the archive. What was asked for before stays as it was.',
    access: 'member',
    params: idParams,
    body: textsInput.extend({ name: textName.optional(), archived: z.boolean().optional() }),
    versioned: 'version',
    output: templateOutput,
  }),

  archive: operation({
    method: 'DELETE',
    path: '/api/templates/[id]',
    summary: 'Archives a template. Calls that name it are refused from then on.',
    access: 'member',
    params: idParams,
    output: done,
  }),

  restore: operation({
    method: 'POST',
    path: '/api/templates/[id]/restore',
    summary:
      'Brings a template back from the archive. Where another has its name by now, PATCH it with archived: false and a new name.',
    access: 'member',
    params: idParams,
    output: templateOutput,
  }),

  preview: operation({
    method: 'POST',
    path: '/api/templates/[id]/preview',
    summary: 'A template as you would get it, with the texts that are saved or those that come along. Nothing is kept.',
    access: 'member',
    params: idParams,
    body: z.object({ ...previewAsk, mailboxId: z.uuid().optional() }),
    output: previewOutput,
  }),

  testSend: operation({
    method: 'POST',
    path: '/api/templates/[id]/test-send',
    peopleOnly: true,
    refuses: [502],
    summary: 'Sends a template to your own address. Counts towards nothing.',
    access: 'member',
    params: idParams,
    body: z.object({ ...previewAsk, mailboxId: z.uuid() }),
    output: z.object({ to: z.string(), subject: z.string(), notes: z.array(z.string()) }),
  }),
}
