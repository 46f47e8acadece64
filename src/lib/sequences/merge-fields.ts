import { onceForEach } from './once-for-each.ts'
import { OF_THE_SENDER, parseTemplate } from './template.ts'

/** A template, read once for each version of its text. */
export const templateOf = onceForEach(parseTemplate)

export type StepTexts = { subject: string; bodyText: string; bodyHtml: string }

export const TEXTS_OF_A_STEP = ['subject', 'bodyText', 'bodyHtml'] as const satisfies readonly (keyof StepTexts)[]

/** What a prospect must have for these steps to be written to them: the fields that stand anywhere without a fallback. */
export function fieldsNeeded(steps: readonly StepTexts[]): string[] {
  const needed = new Set<string>()
  for (const step of steps) {
    for (const part of TEXTS_OF_A_STEP.flatMap((name) => templateOf(step[name]).parts)) {
      if (part.kind === 'field' && part.fallback === null && !OF_THE_SENDER.has(part.field)) needed.add(part.field)
    }
  }
  return [...needed].sort()
}

/**
 * SQL that answers which of `fields` (an expression of type text[]) a row of `prospects` lacks: what is empty or only
 * spaces is lacking. One expression for a whole set of rows, so that nobody asks prospect by prospect.
 */
export function missingFieldsSql(prospects: string, fields: string): string {
  const p = prospects
  return `ARRAY(SELECT field FROM unnest(${fields}) field WHERE coalesce(btrim(CASE field
    WHEN 'firstName' THEN ${p}.first_name WHEN 'lastName' THEN ${p}.last_name WHEN 'company' THEN ${p}.company
    WHEN 'email' THEN ${p}.email ELSE ${p}.custom_fields ->> substr(field, 8) END), '') = '' ORDER BY field)`
}

const MISSING = ['The person has no ', '; fill it in, or give the text a fallback.'] as const

/** As pages call the fields that every person has; those of the workspace's own go by their names. */
const NAMES = new Map([
  ['firstName', 'first name'],
  ['lastName', 'last name'],
])

export const nameOfField = (field: string): string => NAMES.get(field) ?? field.replace(/^custom\./, '')

/** Why an enrolment is blocked, in words. */
export function missingSentence(missing: readonly string[]): string {
  return `${MISSING[0]}${missing.map(nameOfField).join(', ')}${MISSING[1]}`
}

/** The same, over what the SQL above answers. */
export function missingSentenceSql(missing: string): string {
  const named = [...NAMES].map(([field, name]) => `WHEN '${field}' THEN '${name}'`).join(' ')
  return `'${MISSING[0]}' || (SELECT string_agg(CASE field ${named} ELSE regexp_replace(field, '^custom\\.', '') END, ', ' ORDER BY place)
    FROM unnest(${missing}) WITH ORDINALITY AS one(field, place)) || '${MISSING[1]}'`
}
