import { z } from 'zod'
import { ENCODINGS } from '#lib/audience/import/encodings.ts'
import { choiceSchema, columnSchema, importOptionsSchema } from '#lib/audience/import/import-mapping.ts'
import { ISSUE_KINDS } from '#lib/audience/import/import-report.ts'
import { operation } from './operation.ts'
import { INTEGER_MAX, idParams } from './shared.ts'

const issueKind = z.enum(ISSUE_KINDS)

const issuesOutput = z.object({
  issues: z.array(z.object({ line: z.number(), kind: issueKind, reason: z.string() })),
  nextCursor: z.number().nullable(),
})

const reportOutput = z
  .object({
    id: z.string(),
    fileName: z.string().nullable(),
    createdById: z.string(),
    encoding: z.string(),
    delimiter: z.string(),
    lines: z.number(),
    totalLines: z.number().nullable(),
    created: z.number(),
    updated: z.number(),
    revived: z.number(),
    unchanged: z.number(),
    duplicates: z.number(),
    suppressed: z.number(),
    unsubscribed: z.number(),
    rejected: z.number(),
    issuesKept: z.number(),
    createdAt: z.date(),
    finishedAt: z.date().nullable(),
    isOld: z.boolean(),
    notes: z.array(z.string()),
  })
  .meta({ id: 'ImportReport' })

const previewOutput = z.object({
  encoding: z.enum(ENCODINGS),
  encodingBy: z.enum(['chosen', 'evidence', 'guess', 'unsure']),
  delimiter: z.string(),
  delimiterBy: z.enum(['chosen', 'first-line', 'evidence']),
  hasHeader: z.boolean(),
  headers: z.array(z.string()),
  suggestedColumns: z.array(columnSchema),
  rows: z.array(z.object({ line: z.number(), cells: z.array(z.string()) })),
  problems: z.array(z.object({ line: z.number(), reason: z.string() })),
  notes: z.array(z.string()),
})

/** The part `options` of the form: how to read the file, and for an import also what its columns mean. */
export const previewOptions = choiceSchema
export const importOptions = importOptionsSchema

export const imports = {
  list: operation({
    method: 'GET',
    path: '/api/prospects/import',
    summary: 'The newest imports, with how far they are.',
    access: 'member',
    query: z.object({ limit: z.coerce.number().int().min(1).max(50).default(10) }),
    output: z.object({ imports: z.array(reportOutput) }),
  }),

  run: operation({
    method: 'POST',
    path: '/api/prospects/import',
    summary:
      'Imports prospects from a CSV file, sent as a form with the parts `file` and `options` (JSON: what its columns mean, how to read it). With preview=true nothing is imported, and options may be absent.',
    access: 'member',
    query: z.object({ preview: z.stringbool().default(false) }),
    upload: 'multipart/form-data',
    form: { options: importOptions },
    output: z.union([z.object({ preview: previewOutput }), z.object({ report: reportOutput, ...issuesOutput.shape })]),
    makes: { at: '/api/prospects/import/[id]', id: 'report.id', when: 'report', unless: 'report.isOld' },
  }),

  rejected: operation({
    method: 'POST',
    path: '/api/prospects/import/[id]/rejected',
    summary:
      'The lines that an import has rejected, as CSV with their reasons, to be mended and imported again. Takes the same form as the import: nothing of what its lines said was kept.',
    access: 'member',
    params: idParams,
    upload: 'multipart/form-data',
    form: { options: importOptions },
    download: 'text/csv',
  }),

  report: operation({
    method: 'GET',
    path: '/api/prospects/import/[id]',
    summary: 'What became of an import, and the lines that added or changed nobody, in the order of the file.',
    access: 'member',
    params: idParams,
    query: z.object({
      kind: issueKind.optional(),
      cursor: z.coerce.number().int().min(0).max(INTEGER_MAX).optional(),
      limit: z.coerce.number().int().min(1).max(1_000).default(200),
    }),
    output: z.object({ report: reportOutput, ...issuesOutput.shape }),
  }),
}
