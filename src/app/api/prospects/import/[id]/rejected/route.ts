import { ENCODINGS } from '#lib/audience/import/encodings.ts'
import type { FileChoice, TakenFile } from '#lib/audience/import/import-file.ts'
import { type ImportReport, loadReport } from '#lib/audience/import/import-report.ts'
import { withUpload } from '#lib/audience/import/import-upload.ts'
import { rejectedLines } from '#lib/audience/import/rejected-lines.ts'
import { inUploadPlace } from '#lib/audience/import/upload-places.ts'
import { imports } from '#lib/contract/import.ts'
import { database } from '#lib/platform/database.ts'
import { csvFile } from '../../../../csv-file.ts'
import { workspaceRoute } from '../../../../workspace-route.ts'

export const POST = workspaceRoute(imports.rejected, async ({ workspace, params, request }) => {
  const report = await loadReport(database(), workspace.id, params.id)
  const pickOut = async (taken: TakenFile) => {
    const file = await taken.read(formatOf(report))
    const lines: string[] = []
    // The upload is gone once this is answered, so the lines are read first: at most ten thousand of them.
    for await (const line of rejectedLines(database(), report.id, file)) lines.push(line)
    return csvFile('rejected-lines.csv', inTurn(lines))
  }
  return inUploadPlace(workspace.id, () => withUpload(request, pickOut))
})

/** As the import read it, whatever the file seems to be by itself. */
function formatOf({ encoding, delimiter }: ImportReport): FileChoice {
  return { encoding: ENCODINGS.find((known) => known === encoding), delimiter }
}

async function* inTurn(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}
