import { readAddress } from './address.ts'
import type { Delimiter, Encoding } from './csv-format.ts'
import type { ImportFile } from './import-file.ts'
import { type Column, suggestColumns } from './import-mapping.ts'

export type ImportPreview = {
  encoding: Encoding
  delimiter: Delimiter
  hasHeader: boolean
  headers: string[]
  suggestedColumns: Column[]
  rows: { line: number; cells: string[] }[]
  problems: { line: number; reason: string }[]
}

const ROWS = 20

/** How a file will be read, its first rows, and what its columns probably are. Changes nothing. */
export async function previewImport(file: ImportFile): Promise<ImportPreview> {
  const rows: ImportPreview['rows'] = []
  const problems: ImportPreview['problems'] = []
  let toSkip = file.format.sepLine ? 1 : 0
  for await (const record of file.records()) {
    if (toSkip > 0) toSkip -= 1
    else if ('problem' in record) problems.push({ line: record.line, reason: record.problem })
    else rows.push({ line: record.line, cells: record.cells })
    if (rows.length > ROWS || problems.length > ROWS) break
  }
  const first = rows[0]?.cells ?? []
  // A header names what follows; a first line that holds an address is a person already.
  const hasHeader = !first.some((cell) => readAddress(cell).ok)
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length))
  const headers = Array.from({ length: width }, (_, index) => (hasHeader ? (first[index] ?? '').trim() : ''))
  const shown = (hasHeader ? rows.slice(1) : rows).slice(0, ROWS)
  const suggestedColumns = suggestColumns(
    headers,
    shown.map(({ cells }) => cells),
  )
  const { encoding, delimiter } = file.format
  return { encoding, delimiter, hasHeader, headers, suggestedColumns, rows: shown, problems }
}
