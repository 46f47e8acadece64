import { FIELDS_MAX, PROBLEMS_MAX } from './limits.ts'
import { type LineAndColumn, placesIn } from './line-and-column.ts'

/** What a template may name, besides `custom.<name>`. Each with what it says, in words for people. */
export const MERGE_FIELDS = {
  firstName: 'The person’s first name.',
  lastName: 'The person’s last name.',
  company: 'The person’s company.',
  email: 'The person’s address.',
  senderName: 'The name of the mailbox that sends.',
  senderAddress: 'The address of the mailbox that sends.',
} as const

/** Every mailbox has them, so nobody can lack them. */
export const OF_THE_SENDER: ReadonlySet<string> = new Set(['senderName', 'senderAddress'])

const CUSTOM = /^custom\.[A-Za-z0-9][\w-]{0,63}$/

export type MergeField = { field: string; fallback: string | null }

export type TemplatePart = { kind: 'text'; text: string } | ({ kind: 'field' } & MergeField)

/** `at` counts characters from the start of the text; line and column count from 1. */
export type TemplateError = { at: number; sentence: string } & LineAndColumn

export type Template = { readonly parts: readonly TemplatePart[]; readonly errors: readonly TemplateError[] }

/**
 * Reads `{{field}}` and `{{field | "fallback"}}`. There is no logic in a template, and nothing that it could call; what
 * is not a field of the list is an error with its place. Reading ends at the limits, so that the work is never more than
 * the text is long.
 */
export function parseTemplate(text: string): Template {
  const parts: TemplatePart[] = []
  const errors: TemplateError[] = []
  const placeOf = placesIn(text)
  const refuse = (at: number, sentence: string) => errors.push({ at, ...placeOf(at), sentence })
  let fields = 0
  let from = 0
  while (from < text.length && errors.length < PROBLEMS_MAX) {
    const open = text.indexOf('{{', from)
    const stray = text.slice(from, open < 0 ? text.length : open).indexOf('}}')
    if (stray >= 0) refuse(from + stray, 'Here braces are closed that were not opened.')
    if (open < 0) {
      parts.push({ kind: 'text', text: text.slice(from) })
      break
    }
    if (open > from) parts.push({ kind: 'text', text: text.slice(from, open) })
    const close = closeOfField(text, open + 2)
    if (close < 0) {
      refuse(open, 'These braces are not closed; end the field with }}.')
      break
    }
    fields += 1
    if (fields > FIELDS_MAX) {
      refuse(open, `This is one field too many; a text has at most ${FIELDS_MAX}. Write fewer.`)
      break
    }
    const found = readField(text.slice(open + 2, close))
    if (typeof found === 'string') refuse(open, found)
    else parts.push(found)
    from = close + 2
  }
  return { parts, errors }
}

/** The end of a field that begins here: braces within a quoted fallback are text, and a line break ends the search. */
export function closeOfField(text: string, from: number): number {
  let quoted = false
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]
    if (character === '\n') return -1
    if (quoted && character === '\\') at += 1
    else if (character === '"') quoted = !quoted
    else if (!quoted && text.startsWith('{{', at)) return -1
    else if (!quoted && text.startsWith('}}', at)) return at
  }
  return -1
}

function readField(inside: string): TemplatePart | string {
  const bar = inside.indexOf('|')
  const field = (bar < 0 ? inside : inside.slice(0, bar)).trim()
  if (field === '') return 'The braces are empty; name a field between them, like {{firstName}}.'
  if (!isMergeField(field)) return `There is no field ${field}. ${suggestion(field)}`
  if (bar < 0) return { kind: 'field', field, fallback: null }
  const fallback = /^"((?:[^"\\]|\\["\\])*)"$/.exec(inside.slice(bar + 1).trim())?.[1]
  if (fallback === undefined)
    return `The fallback of ${field} is not a text in straight quotes; write {{${field} | "there"}}.`
  if (fallback.trim() === '') return `The fallback of ${field} is empty; write a word between the quotes.`
  return { kind: 'field', field, fallback: fallback.replaceAll(/\\(["\\])/g, '$1') }
}

export function isMergeField(field: string): boolean {
  return Object.hasOwn(MERGE_FIELDS, field) || CUSTOM.test(field)
}

function suggestion(field: string): string {
  const squeezed = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '')
  const meant = Object.keys(MERGE_FIELDS).find((name) => squeezed(name) === squeezed(field))
  if (meant !== undefined) return `Did you mean ${meant}?`
  return `The fields are ${Object.keys(MERGE_FIELDS).join(', ')}, and custom.<name> for your own.`
}
