import { z } from 'zod'
import { columnSchema } from '#lib/audience/import-mapping.ts'
import { ISSUE_KINDS } from '#lib/audience/import-report.ts'

export const issueKind = z.enum(ISSUE_KINDS)

export const issuesOutput = z.object({
  issues: z.array(z.object({ line: z.number(), kind: issueKind, reason: z.string() })),
  nextCursor: z.number().nullable(),
})

export const reportOutput = z.object({
  id: z.string(),
  encoding: z.string(),
  delimiter: z.string(),
  lines: z.number(),
  created: z.number(),
  updated: z.number(),
  revived: z.number(),
  unchanged: z.number(),
  duplicates: z.number(),
  suppressed: z.number(),
  unsubscribed: z.number(),
  rejected: z.number(),
  createdAt: z.date(),
  finishedAt: z.date().nullable(),
})

export const previewOutput = z.object({
  encoding: z.string(),
  delimiter: z.string(),
  hasHeader: z.boolean(),
  headers: z.array(z.string()),
  suggestedColumns: z.array(columnSchema),
  rows: z.array(z.object({ line: z.number(), cells: z.array(z.string()) })),
  problems: z.array(z.object({ line: z.number(), reason: z.string() })),
})
