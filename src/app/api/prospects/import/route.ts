import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type ImportFile, withImportFile } from '#lib/audience/import-file.ts'
import { importOptionsSchema } from '#lib/audience/import-mapping.ts'
import { previewImport } from '#lib/audience/import-preview.ts'
import { importProspects } from '#lib/audience/import-prospects.ts'
import { listIssues } from '#lib/audience/import-report.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { securityHeaders } from '#lib/platform/headers.ts'
import { workspaceRoute } from '../../workspace-route.ts'
import { consequencesIn, hasherFor } from '../audience.ts'
import { issuesOutput, previewOutput, reportOutput } from './schemas.ts'

/** Seconds; a function that is stopped in the middle is succeeded by the next request with the same file. */
export const maxDuration = 300

const ISSUES_SHOWN = 1_000

const optionsInput = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      context.addIssue({ code: 'custom', message: 'The options are not valid JSON.' })
      return z.NEVER
    }
  })
  .pipe(importOptionsSchema)

export const POST = workspaceRoute(
  {
    summary:
      'Imports prospects from a CSV file, sent as the body with Content-Type: text/csv; what its columns mean stands in `options`. With preview=true nothing is imported.',
    role: 'member',
    query: z
      .object({
        options: optionsInput.optional(),
        preview: z.stringbool().default(false),
        again: z.stringbool().default(false),
      })
      .refine(({ options, preview }) => options || preview, { path: ['options'], error: 'Say what the columns mean.' }),
    output: z.union([z.object({ preview: previewOutput }), z.object({ report: reportOutput, ...issuesOutput.shape })]),
  },
  async ({ actor, workspace, request, responseHeaders, query: { options, preview, again } }) => {
    setSecurityHeaders(responseHeaders)
    return withImportFile(uploadOf(request), async (file) => {
      refuseCutShort(request, file)
      if (preview || !options) return { preview: await previewImport(file) }
      const hash = await hasherFor(workspace.id)
      const report = await importProspects(
        database(),
        workspace.id,
        hash,
        file,
        options,
        actor,
        consequencesIn(workspace.id),
        { again },
      )
      return { report, ...(await listIssues(database(), report.id, { limit: ISSUES_SHOWN })) }
    })
  },
)

/** No other site's page can send this type without asking first, unlike a form's multipart: the rule of JSON only, for files. */
function uploadOf(request: Request): AsyncIterable<Uint8Array> {
  if (!/^text\/csv\b/i.test(request.headers.get('content-type') ?? ''))
    throw new PublicError(415, 'not-csv', 'Send the file itself as the body, with the header Content-Type: text/csv.')
  if (!request.body) throw new PublicError(400, 'no-file', 'The file is empty.')
  return request.body
}

/** Whoever stands in between must not turn half a file into a whole one. */
function refuseCutShort(request: Request, file: ImportFile): void {
  if (file.bytes === 0) throw new PublicError(400, 'no-file', 'The file is empty.')
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) !== file.bytes)
    throw new PublicError(400, 'cut-short', 'Not all of the file arrived, so nothing was imported. Send it again.')
}

/** The proxy, which sets them elsewhere, would hold the file in memory and cut it off; it leaves this address out. */
function setSecurityHeaders(headers: Headers): void {
  const https = env().APP_URL.startsWith('https:')
  const nonce = randomBytes(16).toString('base64')
  for (const [name, value] of securityHeaders({ nonce, https, development: false })) headers.set(name, value)
}
