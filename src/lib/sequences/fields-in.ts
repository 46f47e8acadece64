import { closeOfField, type MergeField, parseTemplate } from './template.ts'

/** A field of the list, and where it stands: from its first brace to behind its last. */
export type PlacedField = MergeField & { start: number; end: number }

/** The fields of a text that are right, in their order, whatever else is wrong in it. */
export function fieldsIn(text: string): PlacedField[] {
  const found: PlacedField[] = []
  let from = text.indexOf('{{')
  while (from >= 0) {
    const close = closeOfField(text, from + 2)
    const [part] = close < 0 ? [] : parseTemplate(text.slice(from, close + 2)).parts
    if (part?.kind === 'field') {
      found.push({ field: part.field, fallback: part.fallback, start: from, end: close + 2 })
      from = text.indexOf('{{', close + 2)
    } else from = text.indexOf('{{', from + 1)
  }
  return found
}

/** A field as it is written in a text. */
export function fieldTag({ field, fallback }: MergeField): string {
  if (fallback === null) return `{{${field}}}`
  return `{{${field} | "${fallback.replaceAll(/["\\]/g, '\\$&')}"}}`
}

/** Characters that mean nothing to anybody. */
const OF_NOBODY = /[\u{F0000}-\u{FFFFD}]/gu
const FIRST_OF_NOBODY = 0xf0000
const FIELDS_MARKED_MAX = 0xfffd

export const hasMarks = (text: string): boolean => text.search(OF_NOBODY) >= 0

/** The text with one character in place of each field, for readers of HTML whom quotes within braces would mislead. */
export function markFields(source: string): { marked: string; fields: PlacedField[] } {
  const fields = fieldsIn(source).slice(0, FIELDS_MARKED_MAX)
  let marked = ''
  let at = 0
  for (const [index, { start, end }] of fields.entries()) {
    marked += source.slice(at, start) + String.fromCodePoint(FIRST_OF_NOBODY + index)
    at = end
  }
  return { marked: marked + source.slice(at), fields }
}

/** The numbers of the marked fields in a text, in their order. */
export function marksIn(marked: string): number[] {
  return [...marked.matchAll(OF_NOBODY)].map(([mark]) => numberOf(mark))
}

export function replaceMarks(marked: string, written: (index: number) => string): string {
  return marked.replace(OF_NOBODY, (mark) => written(numberOf(mark)))
}

const numberOf = (mark: string) => (mark.codePointAt(0) ?? 0) - FIRST_OF_NOBODY
