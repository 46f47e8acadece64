import { PublicError } from '#lib/platform/api-response.ts'
import { holdsTooMuch } from './count-parts.ts'
import { shown } from './problems.ts'
import { repeatedName } from './repeated-names.ts'

/** `what` it is of the request: its body, or a part of its form. */
export function parseJson(text: string, what: string): unknown {
  if (holdsTooMuch(text))
    throw new PublicError(
      413,
      'too-many-parts',
      `The ${what} holds more values, or nests them deeper, than any request needs.`,
    )
  const given = parsed(text, what)
  if (!isText(given)) throw notText(`the ${what}`)
  const twice = repeatedName(text)
  if (twice !== undefined)
    throw new PublicError(400, 'repeated-name', `The ${what} holds \`${shown(twice)}\` twice in one place.`)
  return given
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new PublicError(400, 'malformed-json', `The ${what} is not valid JSON.`)
  }
}

/** What Postgres can keep and every reader show: no NUL and no half of a surrogate pair, in names or in values. */
export function isText(given: unknown): boolean {
  // Not by recursion: a body may be nested deeper than the stack.
  const left = [given]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === 'string' && (!value.isWellFormed() || value.includes('\0'))) return false
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) for (const name of Object.keys(value)) left.push(name)
    for (const part of Object.values(value)) left.push(part)
  }
  return true
}

export const notText = (where = 'what was sent') =>
  new PublicError(400, 'not-text', `Some of ${where} holds characters that no text has: NUL, or half a character.`)
