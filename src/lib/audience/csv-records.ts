/** One record of a CSV file, with the number of the line on which it begins, counted as an editor counts them. */
export type CsvRecord = { line: number } & ({ cells: string[] } | { problem: string })

type Scan =
  | { kind: 'record'; cells: string[]; end: number }
  | { kind: 'broken'; problem: string }
  | { kind: 'incomplete' }

/** No cell of a contact is longer; a quote that is still open by then was never meant to open one. */
const RECORD_LENGTH_MAX = 64 * 1024
const TOO_LONG = `The line is longer than ${RECORD_LENGTH_MAX / 1024} thousand characters.`

/**
 * RFC 4180, as it is met in the wild: lines may end in CRLF, LF or CR, and quotes may hold line breaks. A line whose
 * quotes do not fit is reported, and reading goes on at the next line, so that one stray quote never swallows the rest
 * of a file. Empty lines count, and are passed over. Memory holds one record and one chunk.
 */
export async function* readCsvRecords(
  chunks: AsyncIterable<string> | Iterable<string>,
  delimiter: string,
): AsyncGenerator<CsvRecord> {
  let rest: Rest = { text: '', line: 1, inBrokenLine: false }
  for await (const chunk of chunks) {
    const read = readFrom({ ...rest, text: rest.text + chunk }, delimiter, false)
    yield* read.records
    rest = read.rest
  }
  yield* readFrom(rest, delimiter, true).records
}

/** What is not read yet, the line on which it begins, and whether it belongs to a line that was reported already. */
type Rest = { text: string; line: number; inBrokenLine: boolean }

/** All that is complete in a piece of text; `final` when nothing follows it. */
function readFrom(from: Rest, delimiter: string, final: boolean): { records: CsvRecord[]; rest: Rest } {
  const records: CsvRecord[] = []
  const { text } = from
  let { line, inBrokenLine } = from
  let at = 0
  while (at < text.length) {
    if (inBrokenLine) {
      const end = lineEnd(text, at, final)
      at = end ?? (text.endsWith('\r') ? text.length - 1 : text.length)
      if (end === undefined) break
      inBrokenLine = false
      line += 1
      continue
    }
    const scan = scanRecord(text, at, delimiter, final)
    if (scan.kind === 'incomplete') break
    if (scan.kind === 'broken') {
      records.push({ line, problem: scan.problem })
      inBrokenLine = true
      continue
    }
    if (scan.cells.some((cell) => cell.trim() !== '')) records.push({ line, cells: scan.cells })
    line += lineBreaks(text, at, scan.end)
    at = scan.end
  }
  return { records, rest: { text: text.slice(at), line, inBrokenLine } }
}

function scanRecord(text: string, start: number, delimiter: string, final: boolean): Scan {
  const cells: string[] = []
  let at = start
  for (;;) {
    const cell = text[at] === '"' ? quotedCell(text, at, final) : plainCell(text, at, delimiter)
    if (typeof cell === 'string') return { kind: 'broken', problem: cell }
    if (cell === undefined || (cell.end >= text.length && !final)) {
      return text.length - start > RECORD_LENGTH_MAX ? { kind: 'broken', problem: TOO_LONG } : { kind: 'incomplete' }
    }
    if (cell.end - start > RECORD_LENGTH_MAX) return { kind: 'broken', problem: TOO_LONG }
    cells.push(cell.value)
    const next = text[cell.end]
    if (next === delimiter) {
      at = cell.end + 1
      continue
    }
    if (next === undefined) return { kind: 'record', cells, end: cell.end }
    if (next === '\n') return { kind: 'record', cells, end: cell.end + 1 }
    if (next !== '\r')
      return {
        kind: 'broken',
        problem: 'A quote closes in the middle of a cell; a quote inside quotes is written twice.',
      }
    // Whether a line feed belongs to it is in the next chunk.
    if (cell.end + 1 >= text.length && !final) return { kind: 'incomplete' }
    return { kind: 'record', cells, end: cell.end + (text[cell.end + 1] === '\n' ? 2 : 1) }
  }
}

function quotedCell(text: string, start: number, final: boolean): { value: string; end: number } | string | undefined {
  let from = start + 1
  for (;;) {
    const quote = text.indexOf('"', from)
    if (quote === -1) return final || text.length - start > RECORD_LENGTH_MAX ? NEVER_CLOSED : undefined
    if (quote - start > RECORD_LENGTH_MAX) return NEVER_CLOSED
    if (text[quote + 1] !== '"') return { value: text.slice(start + 1, quote).replaceAll('""', '"'), end: quote + 1 }
    from = quote + 2
  }
}

const NEVER_CLOSED = 'A quote opens here and never closes.'

function plainCell(text: string, start: number, delimiter: string): { value: string; end: number } | string {
  let end = start
  for (; end < text.length; end += 1) {
    const character = text[end]
    if (character === delimiter || character === '\n' || character === '\r') break
    if (character === '"') return 'A quote stands in the middle of a cell; quotes belong around the whole cell.'
    if (end - start > RECORD_LENGTH_MAX) break
  }
  return { value: text.slice(start, end), end }
}

/** Just after the next line break, where it is here with all that belongs to it. */
function lineEnd(text: string, from: number, final: boolean): number | undefined {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\n') return at + 1
    if (text[at] !== '\r') continue
    if (at + 1 >= text.length) return final ? at + 1 : undefined
    return text[at + 1] === '\n' ? at + 2 : at + 1
  }
  return undefined
}

function lineBreaks(text: string, from: number, to: number): number {
  let breaks = 0
  for (let at = from; at < to; at += 1) {
    if (text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n')) breaks += 1
  }
  return breaks
}
