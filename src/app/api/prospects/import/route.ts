import type { TakenFile } from '#lib/audience/import/import-file.ts'
import { previewImport } from '#lib/audience/import/import-preview.ts'
import { importProspects } from '#lib/audience/import/import-prospects.ts'
import { listIssues, listReports } from '#lib/audience/import/import-report.ts'
import { withUpload } from '#lib/audience/import/import-upload.ts'
import { inUploadPlace } from '#lib/audience/import/upload-places.ts'
import { importOptions, imports, previewOptions } from '#lib/contract/import.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { database } from '#lib/platform/database.ts'
import { parsePart } from '#lib/platform/http/parse.ts'
import { consequencesIn, hasherFor } from '#lib/wiring/audience.ts'
import { workspaceRoute } from '../../workspace-route.ts'

/** Seconds; a function that is stopped in the middle is succeeded by the next request with the same file. */
export const maxDuration = 300

const ISSUES_SHOWN = 1_000

export const GET = workspaceRoute(imports.list, async ({ workspace, query }) => ({
  imports: await listReports(database(), workspace.id, query.limit),
}))

export const POST = workspaceRoute(imports.run, async ({ actor, workspace, request, claimFor, query: { preview } }) => {
  const importTaken = async (taken: TakenFile, written: string | undefined, fileName: string | null) => {
    // The file itself: how its form was cut into parts differs each time.
    await claimFor({ file: taken.sha256.toString('hex'), written })
    if (preview) {
      const choice = parsePart('options', previewOptions, written ?? '{}')
      return { preview: await previewImport(await taken.read(choice)) }
    }
    if (written === undefined) throw noOptions()
    const options = parsePart('options', importOptions, written)
    const file = await taken.read(options)
    const hash = await hasherFor(workspace.id)
    const consequences = consequencesIn(workspace.id)
    const report = await importProspects(database(), workspace.id, hash, file, options, actor, consequences, fileName)
    return { report, ...(await listIssues(database(), report.id, { limit: ISSUES_SHOWN })) }
  }
  return inUploadPlace(workspace.id, () => withUpload(request, importTaken))
})

const noOptions = () =>
  new PublicError(400, 'no-options', 'Say what the columns mean, in a part of the form that is called options.')
