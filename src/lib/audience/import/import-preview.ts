import { PublicError } from '#lib/platform/api-response.ts'
import type { CsvFormat, ImportFile } from './import-file.ts'
import { COLUMNS_MAX, type Column, suggestColumns } from './import-mapping.ts'
import { notesOnFormat } from './import-notes.ts'

export type ImportPreview = Omit<CsvFormat, 'startsWithPerson'> & {
  hasHeader: boolean
  headers: string[]
  suggestedColumns: Column[]
  rows: { line: number; cells: string[] }[]
  problems: { line: number; reason: string }[]
  /** What to look at before importing, in sentences. */
  notes: string[]
}

const ROWS = 20
/** Enough to see what is in it. */
const CELL_LENGTH_SHOWN = 500

/** How a file will be read, its first rows, and what its columns probably are. Changes nothing. */
export async function previewImport(file: ImportFile): Promise<ImportPreview> {
  const rows: ImportPreview['rows'] = []
  const problems: ImportPreview['problems'] = []
  for await (const record of file.records()) {
    if ('problem' in record) problems.push({ line: record.line, reason: record.problem })
    else rows.push({ line: record.line, cells: record.cells })
    if (rows.length > ROWS || problems.length > ROWS) break
  }
  const first = rows[0]?.cells ?? []
  const { startsWithPerson, ...format } = file.format
  const hasHeader = !startsWithPerson
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length))
  if (width > COLUMNS_MAX)
    throw new PublicError(
      400,
      'too-many-columns',
      `The file has ${width} columns, and at most ${COLUMNS_MAX} can be imported. Take out those that are not needed.`,
    )
  const headers = Array.from({ length: width }, (_, index) => (hasHeader ? shown(first[index] ?? '').trim() : ''))
  const people = (hasHeader ? rows.slice(1) : rows).slice(0, ROWS)
  const suggestedColumns = suggestColumns(
    headers,
    people.map(({ cells }) => cells),
  )
  return {
    ...format,
    hasHeader,
    headers,
    suggestedColumns,
    rows: people.map(({ line, cells }) => ({ line, cells: cells.map(shown) })),
    problems,
    notes: notesOnFormat(file.format),
  }
}

const shown = (cell: string) => (cell.length > CELL_LENGTH_SHOWN ? `${cell.slice(0, CELL_LENGTH_SHOWN)}…` : cell)
