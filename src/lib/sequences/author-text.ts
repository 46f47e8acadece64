import { placesIn } from './line-and-column.ts'

/**
 * Tabs and line breaks are text. What else steers a terminal or a printer steers mail programs too, or is lost in them: so
 * do separators that are line breaks to some of them only, and overrides that turn around all that follows.
 */
const CONTROL = /(?![\t\n\r])[\p{Cc}\u2028\u2029\u202d\u202e]/u

/** What an author's text may not hold, with its place, or undefined. */
export function refusedInText(text: string): string | undefined {
  const at = text.search(CONTROL)
  if (at < 0) return undefined
  const { line, column } = placesIn(text)(at)
  const code = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `In line ${line}, column ${column} stands a control character (U+${code}), which no mail can show; delete it.`
}
