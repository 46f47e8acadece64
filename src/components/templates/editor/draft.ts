import { type DraftStep, formOf } from '#components/sequences/editor/draft.ts'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { fieldsIn } from '#lib/sequences/fields-in.ts'

export type Template = Received<'GET /api/templates/[id]'>

/** Its text is written like a step that nothing comes before. */
export type TemplateDraft = { name: string; text: DraftStep }

export function draftOf({ name, subject, bodyText, bodyHtml }: Template): TemplateDraft {
  const texts = { delayDays: 0, subject, bodyText, bodyHtml }
  return { name, text: { ...texts, key: 'template', form: formOf(texts) } }
}

export function inputOf({ name, text: { subject, bodyText, bodyHtml } }: TemplateDraft) {
  return { name, subject, bodyText, bodyHtml }
}

export function isSaved(draft: TemplateDraft, { name, subject, bodyText, bodyHtml }: Template): boolean {
  const mine = inputOf(draft)
  const said = [mine.name.trim(), mine.subject, mine.bodyText, mine.bodyHtml]
  return JSON.stringify(said) === JSON.stringify([name, subject, bodyText, bodyHtml])
}

/** What the email itself knows, so that nobody has to give it. */
const KNOWN = new Set(['email', 'senderName', 'senderAddress'])

/** What a call says of it, in the order in which the fields stand: without a fallback it has to. */
export function fieldsOf({ subject, bodyText, bodyHtml }: DraftStep): { field: string; isNeeded: boolean }[] {
  const found = new Map<string, boolean>()
  for (const { field, fallback } of [subject, bodyHtml, bodyText].flatMap(fieldsIn))
    if (!KNOWN.has(field)) found.set(field, (found.get(field) ?? false) || fallback === null)
  return [...found].map(([field, isNeeded]) => ({ field, isNeeded }))
}
