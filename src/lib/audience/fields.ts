import { z } from 'zod'
import { timeZoneSchema } from '#lib/platform/time/time-zone.ts'

export const CUSTOM_FIELDS_MAX = 50
export const TOO_MANY_FIELDS = `A prospect has at most ${CUSTOM_FIELDS_MAX} custom fields.`
const VALUE_LENGTH_MAX = 1_000
const NAME_LENGTH_MAX = 200

/** Line breaks and tabs are text; what Postgres cannot store or a mail cannot show is not. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** How a merge field names it. */
export const customFieldNameSchema = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_]{0,49}$/, 'The name of a field has letters, digits and _, at most 50, a letter first.')

/** A date is text in the form 2026-11-18. */
export const customValueSchema = z.union([
  textSchema('A field', VALUE_LENGTH_MAX),
  z.number().refine(Number.isFinite, 'This is not a number.'),
  z.boolean(),
])

export type CustomValue = z.infer<typeof customValueSchema>

export const customFieldsSchema = z
  .record(customFieldNameSchema, customValueSchema)
  .refine((fields) => Object.keys(fields).length <= CUSTOM_FIELDS_MAX, TOO_MANY_FIELDS)

/** Field by field; null takes one away. */
export const customFieldChangeSchema = z.record(customFieldNameSchema, customValueSchema.nullable())

export const firstNameSchema = textSchema('A first name', NAME_LENGTH_MAX)
export const lastNameSchema = textSchema('A last name', NAME_LENGTH_MAX)
export const companySchema = textSchema('A company', NAME_LENGTH_MAX)

/** What is empty is not there: a merge fills such a gap, and a text falls back. */
const orNothing = (schema: z.ZodType<string>) => schema.transform((text) => (text === '' ? null : text)).nullish()

export const prospectFieldsSchema = z.object({
  firstName: orNothing(firstNameSchema),
  lastName: orNothing(lastNameSchema),
  company: orNothing(companySchema),
  timeZone: timeZoneSchema.nullish(),
})

export type ProspectFields = z.infer<typeof prospectFieldsSchema>

export const CUSTOM_TYPES = ['text', 'number', 'boolean', 'date'] as const

export type CustomType = (typeof CUSTOM_TYPES)[number]

export type CustomReading = { ok: true; value: CustomValue } | { ok: false; reason: string }

const YES = ['true', 'yes', 'y', '1', 'ja', 'oui', 'si', 'sí']
const NO = ['false', 'no', 'n', '0', 'nein', 'non']

/** A cell of text as a value of a type. */
export function readCustomValue(type: CustomType, text: string): CustomReading {
  switch (type) {
    case 'text':
      return text.length <= VALUE_LENGTH_MAX && !CONTROLS.test(text)
        ? { ok: true, value: text }
        : { ok: false, reason: `is longer than ${VALUE_LENGTH_MAX} characters or holds control characters` }
    case 'number': {
      const value = Number(text)
      return /^[+-]?\d+(\.\d+)?$/.test(text) && Number.isFinite(value)
        ? { ok: true, value }
        : { ok: false, reason: 'is not a number like 1234.5' }
    }
    case 'boolean': {
      const word = text.toLowerCase()
      if (YES.includes(word)) return { ok: true, value: true }
      return NO.includes(word) ? { ok: true, value: false } : { ok: false, reason: 'is neither yes nor no' }
    }
    case 'date':
      return z.iso.date().safeParse(text).success
        ? { ok: true, value: text }
        : { ok: false, reason: 'is not a date like 2026-11-18' }
  }
}

function textSchema(what: string, lengthMax: number) {
  return z
    .string()
    .trim()
    .max(lengthMax, `${what} has at most ${lengthMax} characters.`)
    .refine((text) => !CONTROLS.test(text), `${what} holds control characters.`)
    .refine((text) => text.isWellFormed(), `${what} holds half a character.`)
}
