import type { z } from 'zod'

/** What does not fit about one part of a request: where it stands, and a sentence. */
export type Problem = { path: string; message: string }

/** More help nobody: two megabytes of wrong numbers must not become ninety of sentences. */
export const PROBLEMS_MAX = 50

const NAMES_SHOWN = 12
const NAME_LENGTH_SHOWN = 60

/** The problems that a schema finds, in words of ours where the schema itself has none. */
export function problemsOf(error: z.ZodError): Problem[] {
  return error.issues.slice(0, PROBLEMS_MAX).map(({ path, message }) => ({ path: writtenPath(path), message }))
}

export function writtenPath(path: readonly PropertyKey[]): string {
  return path.map((part) => shown(String(part))).join('.')
}

/** A name that a caller made up may be a book. */
export function shown(name: string): string {
  return name.length > NAME_LENGTH_SHOWN ? `${name.slice(0, NAME_LENGTH_SHOWN)}…` : name
}

const EXPECTED: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object with named fields',
  record: 'an object with named fields',
}

const FORMATS: Record<string, string> = {
  uuid: 'This is not an id of ours.',
  email: 'This is not an email address.',
  datetime: 'This is not a moment like 2026-11-20T09:00:00+01:00.',
  date: 'This is not a date like 2026-11-20.',
}

/** Handed to zod with each parse: it asks here only where the schema has no sentence of its own. */
export function inOurWords(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'This is needed.'
      return `This has to be ${EXPECTED[issue.expected] ?? 'of another kind'}.`
    case 'invalid_value':
      return `This is one of ${listed(issue.values.map(String))}.`
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'This is not of the form that is needed here.'
    case 'too_small':
      return tooSmall(issue)
    case 'too_big':
      return tooBig(issue)
    case 'unrecognized_keys':
      return issue.keys.map((name) => `\`${shown(name)}\` is not known.`).join(' ')
    case 'invalid_key':
      return `This name does not fit: ${issue.issues[0]?.message ?? 'it is not of the form that is needed here.'}`
    case 'invalid_union':
      if (issue.input === undefined) return 'This is needed.'
      return issue.discriminator
        ? `This is one of ${listed(Array.isArray(issue.options) ? issue.options.map(String) : [])}.`
        : 'This fits none of the forms that are possible here.'
    default:
      return 'This does not fit.'
  }
}

function tooSmall(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  const { origin, minimum } = issue
  if (origin === 'string') return minimum === 1 ? 'This must not be empty.' : `This has at least ${minimum} characters.`
  if (origin === 'array') return minimum === 1 ? 'At least one is needed.' : `At least ${minimum} are needed.`
  return `This is at least ${minimum}.`
}

function tooBig(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string {
  const { origin, maximum } = issue
  if (origin === 'string') return `This has at most ${maximum} characters.`
  if (origin === 'array') return `At most ${maximum} are possible.`
  return `This is at most ${maximum}.`
}

export function listed(names: readonly string[]): string {
  const few = names.slice(0, NAMES_SHOWN)
  return names.length > few.length ? `${few.join(', ')} and ${names.length - few.length} more` : few.join(', ')
}
