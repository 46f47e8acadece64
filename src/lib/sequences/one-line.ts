import { parseTemplate } from './template.ts'

/** For the header: nothing in it may begin another line, or turn round what follows it. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .trim()
}

/** A subject by itself, for a list: a field that has no value is left out, since nothing is sent. */
export function fillLine(text: string, values: ReadonlyMap<string, string>): string {
  const { parts } = parseTemplate(text)
  const said = parts.map((part) =>
    part.kind === 'text' ? part.text : ((values.get(part.field)?.trim() || part.fallback) ?? ''),
  )
  return oneLine(said.join(''))
}
