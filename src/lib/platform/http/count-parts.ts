/** The longest list of ids has ten thousand. */
const PARTS_MAX = 20_000
const DEPTH_MAX = 64

const QUOTE = '"'.charCodeAt(0)
const BACKSLASH = '\\'.charCodeAt(0)
const COMMA = ','.charCodeAt(0)
const BRACKET = '['.charCodeAt(0)
const BRACKET_CLOSED = ']'.charCodeAt(0)
const BRACE = '{'.charCodeAt(0)
const BRACE_CLOSED = '}'.charCodeAt(0)

/**
 * Whether JSON holds more values, or nests them deeper, than any request of ours. Looked at before it is parsed: five
 * megabytes of brackets take a second to become arrays, in which nobody else is served. Reading ends at the limit.
 */
export function holdsTooMuch(json: string): boolean {
  let parts = 0
  let depth = 0
  for (let at = 0; at < json.length; at += 1) {
    const sign = json.charCodeAt(at)
    if (sign === QUOTE) {
      at = endOfText(json, at)
      if (at < 0) return false
    } else if (sign === COMMA) parts += 1
    else if (sign === BRACKET || sign === BRACE) {
      parts += 1
      depth += 1
    } else if (sign === BRACKET_CLOSED || sign === BRACE_CLOSED) depth -= 1
    else continue
    if (parts > PARTS_MAX || depth > DEPTH_MAX) return true
  }
  return false
}

/** The quote that ends a text which begins at `start`, or -1 where none does: the parser will say so. */
export function endOfText(json: string, start: number): number {
  let at = start
  do {
    at = json.indexOf('"', at + 1)
  } while (at >= 0 && isEscaped(json, at))
  return at
}

/** Behind an odd number of backslashes. */
function isEscaped(json: string, at: number): boolean {
  let from = at
  while (json.charCodeAt(from - 1) === BACKSLASH) from -= 1
  return (at - from) % 2 === 1
}
