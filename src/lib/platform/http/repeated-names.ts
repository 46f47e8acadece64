import { endOfText } from './count-parts.ts'

const QUOTE = '"'.charCodeAt(0)
const COLON = ':'.charCodeAt(0)
const BRACE = '{'.charCodeAt(0)
const BRACKET = '['.charCodeAt(0)
const BRACE_CLOSED = '}'.charCodeAt(0)
const BRACKET_CLOSED = ']'.charCodeAt(0)

/**
 * The first name that stands twice in one object of this JSON, which has been parsed already. The parser takes the last of
 * them in silence: a program that writes `to` twice would be told that all is well, and another has the email.
 */
export function repeatedName(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  for (let at = 0; at < json.length; at += 1) {
    const sign = json.charCodeAt(at)
    if (sign === BRACE) open.push(new Set())
    else if (sign === BRACKET) open.push(undefined)
    else if (sign === BRACE_CLOSED || sign === BRACKET_CLOSED) open.pop()
    else if (sign === QUOTE) {
      const end = endOfText(json, at)
      const names = open.at(-1)
      if (names && isName(json, end)) {
        const name: string = JSON.parse(json.slice(at, end + 1))
        if (names.has(name)) return name
        names.add(name)
      }
      at = end
    }
  }
  return undefined
}

const isName = (json: string, end: number) => {
  let at = end + 1
  while (json.charCodeAt(at) <= 0x20) at += 1
  return json.charCodeAt(at) === COLON
}
