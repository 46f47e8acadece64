import { findClose, lineBreaks, lineEnd, readCell } from './csv-cell.ts'

/** One record of a CSV file, with the number of the line on which it begins, counted as an editor counts them. */
export type CsvRecord = { line: number } & ({ cells: string[] } | { problem: string })

/** The text from one of its characters on; it may be asked for more than once. */
export type OpenText = (from: number) => AsyncIterable<string> | Iterable<string>

export type Start = { at: number; line: number }

/** No record of a contact is longer. */
const RECORD_LENGTH_MAX = 64 * 1024
const TOO_LONG = `The line is longer than ${RECORD_LENGTH_MAX / 1024} thousand characters.`
const NEVER_CLOSED = 'A quote opens here and never closes.'

/** What is not read yet and where it begins. `skip`: it belongs to a line, or to a record, that was told of already. */
type Rest = Start & { text: string; skip: 'nothing' | 'line' | 'record' }

/** A quote was opened at `at` and is open for longer than a record may be. */
type Step = { records: CsvRecord[]; rest: Rest; open?: { quote: number } }

/**
 * CSV as Excel, Python and databases write it (src/decisions/import-habits.md). Lines may end in CRLF, LF or CR, and quotes
 * may hold line breaks. A line whose quotes do not fit is reported, and reading goes on at the next line, so that one
 * stray quote never swallows the rest of a file; a cell that is too long is one bad record, however many lines it has.
 * Empty lines count, and are passed over. Memory holds one record and one chunk.
 */
export async function* readCsvRecords(
  open: OpenText,
  delimiter: string,
  start: Start = { at: 0, line: 1 },
): AsyncGenerator<CsvRecord> {
  let rest: Rest | undefined = { ...start, text: '', skip: 'nothing' }
  while (rest) {
    const from: Rest = rest
    rest = undefined
    let current: Rest = { ...from, text: '' }
    let quote: number | undefined
    for await (const chunk of open(from.at)) {
      const step = readFrom({ ...current, text: current.text + chunk }, delimiter, false)
      yield* step.records
      current = step.rest
      quote = step.open?.quote
      if (quote !== undefined) break
    }
    if (quote === undefined) {
      const last = readFrom(current, delimiter, true)
      yield* last.records
      return
    }
    // Whether it is a long cell or a stray quote is told by what stands behind the quote that closes it.
    const { at, line, skip } = current
    const close = await closeOf(open, quote, delimiter)
    if (skip === 'nothing') yield { line, problem: close ? TOO_LONG : NEVER_CLOSED }
    rest = close
      ? { text: '', at: close.end, line: line + close.lines, skip: 'record' }
      : { text: '', at, line, skip: 'line' }
  }
}

/** All that is complete in a piece of text; `final` when nothing follows it. */
function readFrom(from: Rest, delimiter: string, final: boolean): Step {
  const records: CsvRecord[] = []
  const { text } = from
  let { line, skip } = from
  let at = 0
  const rest = (): Rest => ({ text: text.slice(at), at: from.at + at, line, skip })
  while (at < text.length) {
    if (skip === 'line') {
      const end = lineEnd(text, at, final)
      at = end ?? (text.endsWith('\r') ? text.length - 1 : text.length)
      if (end === undefined) break
      skip = 'nothing'
      line += 1
      continue
    }
    const scan = scanRecord(text, at, delimiter, final)
    if (scan.kind === 'incomplete') break
    if (scan.kind === 'open') return { records, rest: rest(), open: { quote: from.at + scan.quote } }
    const tell = skip === 'nothing'
    if (scan.kind === 'broken') {
      if (tell) records.push({ line, problem: scan.problem })
      skip = 'line'
      continue
    }
    if (tell && scan.end - at > RECORD_LENGTH_MAX) records.push({ line, problem: TOO_LONG })
    else if (tell && scan.cells.some((cell) => cell.trim() !== '')) records.push({ line, cells: scan.cells })
    skip = 'nothing'
    line += lineBreaks(text, at, scan.end)
    at = scan.end
  }
  return { records, rest: rest() }
}

type Scan =
  | { kind: 'record'; cells: string[]; end: number }
  | { kind: 'broken'; problem: string }
  | { kind: 'open'; quote: number }
  | { kind: 'incomplete' }

function scanRecord(text: string, start: number, delimiter: string, final: boolean): Scan {
  const cells: string[] = []
  const isTooLong = text.length - start > RECORD_LENGTH_MAX
  let at = start
  for (;;) {
    const cell = readCell(text, at, delimiter, final)
    if (cell.kind === 'broken') return cell
    if (cell.kind === 'open') {
      if (final) return { kind: 'broken', problem: NEVER_CLOSED }
      return isTooLong ? cell : { kind: 'incomplete' }
    }
    if (cell.kind === 'incomplete') return isTooLong ? { kind: 'broken', problem: TOO_LONG } : cell
    cells.push(cell.value)
    if (text[cell.end] === delimiter) {
      at = cell.end + 1
      continue
    }
    if (cell.end >= text.length) return { kind: 'record', cells, end: cell.end }
    if (text[cell.end] === '\n') return { kind: 'record', cells, end: cell.end + 1 }
    // Whether a line feed belongs to it is in the next chunk.
    if (cell.end + 1 >= text.length && !final) return { kind: 'incomplete' }
    return { kind: 'record', cells, end: cell.end + (text[cell.end + 1] === '\n' ? 2 : 1) }
  }
}

/** Where a cell ends whose quote stands at `quote`, and how many lines it has; undefined when that quote never closes. */
async function closeOf(
  open: OpenText,
  quote: number,
  delimiter: string,
): Promise<{ end: number; lines: number } | undefined> {
  let text = ''
  let base = quote
  let from = 1
  let lines = 0
  const found = (final: boolean): { end: number; lines: number } | 'more' | undefined => {
    const close = findClose(text, quote - base, from, delimiter, final)
    if (close.kind === 'close')
      return close.isProper ? { end: base + close.end, lines: lines + lineBreaks(text, 0, close.end) } : undefined
    if (final) return undefined
    // Two characters before stay, for a backslash.
    const cut = Math.max(0, Math.min(close.from, text.length - 1) - 2)
    lines += lineBreaks(text, 0, cut)
    text = text.slice(cut)
    base += cut
    from = close.from - cut
    return 'more'
  }
  for await (const chunk of open(quote)) {
    text += chunk
    const answer = found(false)
    if (answer !== 'more') return answer
  }
  const answer = found(true)
  return answer === 'more' ? undefined : answer
}
