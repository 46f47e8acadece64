import { z } from 'zod'
import { readCsvRecords } from './csv-records.ts'

/** Those that are looked for. Another one is taken from the file's first line, or from the sender's options. */
const LOOKED_FOR = [',', ';', '\t', '|'] as const

/** What cannot stand in an address, a name or a number, so that no cell is cut by it; and no backslash, which speaks of quotes. */
const DELIMITER = /^[^\p{L}\p{N}\s"'@._+\\-]$|^\t$/u

export const delimiterSchema = z
  .string()
  .regex(DELIMITER, 'A delimiter is one sign, such as a comma, a semicolon, a tab or a bar.')

const RECORDS_LOOKED_AT = 20

export type DelimiterReading = {
  delimiter: string
  /** Excel's first line, `sep=;`, names it. */
  isNamed: boolean
  /** Where records begin. */
  start: { at: number; line: number }
}

/** The separator that the first line names, else the one that cuts the first lines into the same number of cells. */
export async function detectDelimiter(start: string): Promise<DelimiterReading> {
  const named = readSepLine(start)
  if (named) return named
  let best = { delimiter: ',', score: 0 }
  for (const delimiter of LOOKED_FOR) {
    const score = await scoreOf(start, delimiter)
    if (score > best.score) best = { delimiter, score }
  }
  return { delimiter: best.delimiter, isNamed: false, start: { at: 0, line: 1 } }
}

/** `sep=;` as Excel takes it, with or without quotes, and with the empty cells that programs put behind it. */
function readSepLine(start: string): DelimiterReading | undefined {
  const [line, sign] = /^"?sep=(\\t|[^\r\n])"?[,;|\t ]*(?:\r\n|\n|\r|$)/i.exec(start) ?? []
  const delimiter = sign === '\\t' ? '\t' : sign
  if (line === undefined || delimiter === undefined || !DELIMITER.test(delimiter)) return undefined
  return { delimiter, isNamed: true, start: { at: line.length, line: 2 } }
}

/** How many records agree with the first, weighted by how many cells it has. Only one cell is no sign of a separator. */
async function scoreOf(text: string, delimiter: string): Promise<number> {
  let columns: number | undefined
  let agreeing = 0
  let records = 0
  for await (const record of readCsvRecords((from) => [text.slice(from)], delimiter)) {
    if (records === RECORDS_LOOKED_AT) break
    records += 1
    const found = 'cells' in record ? record.cells.length : 0
    columns ??= found
    if (found === columns) agreeing += 1
  }
  return columns === undefined || columns < 2 ? 0 : (agreeing / records) * 1_000 + columns
}
