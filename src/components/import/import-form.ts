import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import type { ImportChoices, ImportDraft } from './import-draft.ts'

type Answer = Received<'POST /api/prospects/import'>
export type Preview = Extract<Answer, { preview: unknown }>['preview']
export type Report = Extract<Answer, { report: unknown }>['report']

type Source = Pick<ImportDraft, 'file' | 'name'>

/** Enough to see what is in a file; a large one need not be sent for it. */
const LOOKED_AT_BYTES = 512 * 1024

/** How the file will be read, its first rows, and what its columns probably are. */
export async function previewFile(
  workspaceId: string,
  { file, name }: Source,
  choice: Pick<ImportChoices, 'encoding' | 'delimiter'>,
): Promise<Preview> {
  const form = formOf({ file: await startOf(file), name }, choice)
  const answer = await api('POST /api/prospects/import', { query: { preview: 'true' }, form, workspaceId })
  if ('preview' in answer) return answer.preview
  throw new Error('a preview was answered with a report')
}

export async function importFile(workspaceId: string, source: Source, choices: ImportChoices): Promise<Report> {
  const answer = await api('POST /api/prospects/import', { form: formOf(source, choices), workspaceId })
  if ('report' in answer) return answer.report
  throw new Error('an import was answered with a preview')
}

/** The lines that were rejected, with their reasons, out of the very file that was imported. */
export function rejectedLinesOf(workspaceId: string, jobId: string, source: Source): Promise<Blob> {
  const form = formOf(source, {})
  return api('POST /api/prospects/import/[id]/rejected', { params: { id: jobId }, form, workspaceId })
}

function formOf({ file, name }: Source, options: object): FormData {
  const form = new FormData()
  form.set('options', JSON.stringify(options))
  form.set('file', file, name)
  return form
}

/** Up to the end of a line: half a line would be told of as a problem. */
async function startOf(file: Blob): Promise<Blob> {
  if (file.size <= LOOKED_AT_BYTES) return file
  const bytes = new Uint8Array(await file.slice(0, LOOKED_AT_BYTES).arrayBuffer())
  const end = bytes.lastIndexOf(0x0a)
  // A line break of two bytes ends with the second one.
  return file.slice(0, end === -1 ? LOOKED_AT_BYTES : end + (bytes[end + 1] === 0 ? 2 : 1))
}
