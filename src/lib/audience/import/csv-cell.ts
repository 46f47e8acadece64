export type Cell =
  | { kind: 'cell'; value: string; end: number }
  | { kind: 'broken'; problem: string }
  /** What is here of it says too little. */
  | { kind: 'incomplete' }
  /** The same, within quotes that were opened at `quote`. */
  | { kind: 'open'; quote: number }

const CLOSES_EARLY = 'A quote closes in the middle of a cell; a quote inside quotes is written twice.'

/**
 * One cell, up to what ends it. Quotes around the whole cell are read as such, spaces outside of them passed over; in the
 * middle of a cell they are signs like any other (`6" pipes`), and what follows a quoted word belongs to it (`"Acme" Inc`).
 */
export function readCell(text: string, start: number, delimiter: string, final: boolean): Cell {
  const quote = afterSpaces(text, start)
  if (quote >= text.length && !final) return { kind: 'incomplete' }
  if (text[quote] !== '"') return plainCell(text, start, delimiter, final)
  const escapes: number[] = []
  const close = findClose(text, quote, quote + 1, delimiter, final, escapes)
  if (close.kind === 'more') {
    // A sign for inches behind a space opens nothing that the file ever closes.
    if (final && quote > start) return plainCell(text, start, delimiter, final)
    return { kind: 'open', quote }
  }
  const value = unescaped(text, quote + 1, close.quote, escapes)
  if (close.isProper) return { kind: 'cell', value, end: close.end }
  // Two records that a stray quote would join are not one.
  if (/[\r\n]/.test(value)) return { kind: 'broken', problem: CLOSES_EARLY }
  const after = plainCell(text, close.quote + 1, delimiter, final)
  return after.kind === 'cell' ? { ...after, value: value + after.value } : after
}

/** `end`: behind the quote and the spaces that follow it. `isProper`: there the cell ends. */
type Close = { kind: 'close'; quote: number; end: number; isProper: boolean } | { kind: 'more'; from: number }

/**
 * The quote that closes what was opened at `opened`, looked for from `from` on. Written twice it is a quote; so it is behind a backslash, as MySQL
 * and many scripts write it, unless the cell would end there anyway (`"C:\"`).
 */
export function findClose(
  text: string,
  opened: number,
  from: number,
  delimiter: string,
  final: boolean,
  escapes: number[] = [],
): Close {
  let at = from
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return { kind: 'more', from: text.length }
    const end = afterSpaces(text, quote + 1)
    // What decides may be in the next chunk.
    if (!final && (end >= text.length || quote + 2 >= text.length)) return { kind: 'more', from: quote }
    const isEscaped = text[quote - 1] === '\\' && text[quote - 2] !== '\\' && quote - 1 > opened
    const isTwice = text[quote + 1] === '"'
    if (isTwice && isEscaped && isEnd(text, quote + 2, delimiter)) {
      escapes.push(quote - 1)
      return { kind: 'close', quote: quote + 1, end: quote + 2, isProper: true }
    }
    if (isTwice) {
      escapes.push(quote)
      at = quote + 2
      continue
    }
    const isProper = isEnd(text, end, delimiter)
    if (isEscaped && !isProper) {
      escapes.push(quote - 1)
      at = quote + 1
      continue
    }
    return { kind: 'close', quote, end: isProper ? end : quote + 1, isProper }
  }
}

function plainCell(text: string, start: number, delimiter: string, final: boolean): Cell {
  let end = start
  while (end < text.length && !isEnd(text, end, delimiter)) end += 1
  return end >= text.length && !final ? { kind: 'incomplete' } : { kind: 'cell', value: text.slice(start, end), end }
}

/** Without the characters that only say that the next one is a quote. */
function unescaped(text: string, start: number, end: number, escapes: readonly number[]): string {
  const pieces: string[] = []
  let from = start
  for (const at of escapes) {
    pieces.push(text.slice(from, at))
    from = at + 1
  }
  pieces.push(text.slice(from, end))
  return pieces.join('')
}

const SPACES_MAX = 1_000

function afterSpaces(text: string, start: number): number {
  let at = start
  while (text[at] === ' ' && at - start < SPACES_MAX) at += 1
  return at
}

function isEnd(text: string, at: number, delimiter: string): boolean {
  return at >= text.length || text[at] === delimiter || text[at] === '\n' || text[at] === '\r'
}

/** Just after the next line break, where it is here with all that belongs to it. */
export function lineEnd(text: string, from: number, final: boolean): number | undefined {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\n') return at + 1
    if (text[at] !== '\r') continue
    if (at + 1 >= text.length) return final ? at + 1 : undefined
    return text[at + 1] === '\n' ? at + 2 : at + 1
  }
  return undefined
}

export function lineBreaks(text: string, from: number, to: number): number {
  let breaks = 0
  for (let at = from; at < to; at += 1) {
    if (text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n')) breaks += 1
  }
  return breaks
}
