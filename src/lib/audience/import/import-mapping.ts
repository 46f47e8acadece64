import { z } from 'zod'
import { readAddress } from '#lib/audience/address.ts'
import {
  CUSTOM_FIELDS_MAX,
  CUSTOM_TYPES,
  type CustomValue,
  companySchema,
  customFieldNameSchema,
  firstNameSchema,
  lastNameSchema,
  readCustomValue,
  TOO_MANY_FIELDS,
} from '#lib/audience/fields.ts'
import { isKnownTimeZone } from '#lib/platform/time/time-zone.ts'
import { delimiterSchema } from './csv-format.ts'
import { ENCODINGS } from './encodings.ts'

/** Of a file that is looked at and of one that is imported: many tables are exported with all that a program knows. */
export const COLUMNS_MAX = 1_000

const NAMED_FIELDS = ['email', 'firstName', 'lastName', 'company', 'timeZone'] as const

type NamedField = (typeof NAMED_FIELDS)[number]

/** What becomes of a column. */
export const columnSchema = z.discriminatedUnion('to', [
  z.object({ to: z.enum([...NAMED_FIELDS, 'ignore']) }),
  z.object({ to: z.literal('custom'), name: customFieldNameSchema, type: z.enum(CUSTOM_TYPES).default('text') }),
])

export type Column = z.infer<typeof columnSchema>

/** How the file is to be read; what is absent is found out. */
export const choiceSchema = z.object({
  encoding: z.enum(ENCODINGS).optional(),
  delimiter: delimiterSchema.optional(),
})

/** What is asked for with a file; part of what makes an import the same import. */
export const importOptionsSchema = z.object({
  /** One for each column of the file, from left to right. */
  columns: z
    .array(columnSchema)
    .min(1, 'Say what the columns mean.')
    .max(COLUMNS_MAX, `A file has at most ${COLUMNS_MAX} columns.`)
    .superRefine(checkColumns),
  /** A first line that holds an address is a person all the same. */
  hasHeader: z.boolean().default(true),
  ...choiceSchema.shape,
  /**
   * What becomes of a prospect that is there already: what the file says replaces its fields, fills those that are
   * empty, or is left.
   */
  onKnown: z.enum(['update', 'fill', 'leave']),
  /** Everybody in the file joins it, whether they were known or not. */
  listId: z.uuid().toLowerCase().optional(),
})

export type ImportOptions = z.infer<typeof importOptionsSchema>

export type ImportRow = {
  address: string
  firstName: string | null
  lastName: string | null
  company: string | null
  timeZone: string | null
  customFields: Record<string, CustomValue>
}

export type RowReading = { ok: true; row: ImportRow } | { ok: false; reason: string }

const NAMED_CHECKS: Record<Exclude<NamedField, 'email'>, (text: string) => string | undefined> = {
  firstName: checkWith(firstNameSchema),
  lastName: checkWith(lastNameSchema),
  company: checkWith(companySchema),
  timeZone: (text) => (isKnownTimeZone(text) ? undefined : 'This is not a time zone like Europe/Berlin.'),
}

/** A line as a prospect. Reasons name the column and never quote the cell: they are kept, and a cell is personal data. */
export function readRow(columns: readonly Column[], cells: readonly string[]): RowReading {
  if (cells.slice(columns.length).some((cell) => cell.trim() !== ''))
    return refuse(`The line has ${cells.length} cells, and there are only ${columns.length} columns.`)
  const row: ImportRow = {
    address: '',
    firstName: null,
    lastName: null,
    company: null,
    timeZone: null,
    customFields: {},
  }
  for (const [index, column] of columns.entries()) {
    const text = (cells[index] ?? '').trim()
    const where = `Column ${index + 1}`
    if (column.to === 'email') {
      const reading = readAddress(text)
      if (!reading.ok) return refuse(reading.reason)
      row.address = reading.address
    } else if (column.to === 'ignore' || text === '') {
      // An empty cell leaves what is known of a prospect as it is.
    } else if (column.to === 'custom') {
      const reading = readCustomValue(column.type, text)
      if (!reading.ok) return refuse(`${where} (${column.name}) ${reading.reason}.`)
      row.customFields[column.name] = reading.value
    } else {
      const problem = NAMED_CHECKS[column.to](text)
      if (problem) return refuse(`${where}: ${problem}`)
      row[column.to] = text
    }
  }
  return { ok: true, row }
}

const HEADERS: Record<NamedField, readonly string[]> = {
  email: ['email', 'emailaddress', 'mail', 'mailaddress', 'workemail', 'emailadresse', 'correo', 'courriel', 'epost'],
  firstName: ['firstname', 'first', 'givenname', 'forename', 'vorname', 'prenom', 'nombre'],
  lastName: ['lastname', 'last', 'surname', 'familyname', 'nachname', 'nom', 'apellido', 'apellidos'],
  company: ['company', 'companyname', 'organisation', 'organization', 'account', 'firma', 'unternehmen', 'empresa'],
  timeZone: ['timezone', 'tz', 'zeitzone'],
}

/** Begins the columns that a list of rejected lines has beside those of the file: they are about lines, not people. */
export const OWN_COLUMN = 'Sendonce: '

/** What each column probably is, from its header, and the address from its cells if no header says so. */
export function suggestColumns(headers: readonly string[], rows: readonly (readonly string[])[]): Column[] {
  const taken = new Set<string>()
  const take = (name: string) => {
    if (taken.has(name)) return false
    taken.add(name)
    return true
  }
  let custom = 0
  const columns = headers.map((header): Column => {
    const words = plain(header).replace(/[^a-z0-9]/g, '')
    const field = NAMED_FIELDS.find((name) => HEADERS[name].includes(words))
    if (field && take(field)) return { to: field }
    const name = customNameOf(header)
    const isOneMore = custom < CUSTOM_FIELDS_MAX && name !== undefined && take(name)
    if (!isOneMore) return { to: 'ignore' }
    custom += 1
    return { to: 'custom', name, type: 'text' }
  })
  if (taken.has('email')) return columns
  const likely = headers.findIndex((_, index) => {
    const cells = rows.map((row) => row[index] ?? '').filter((cell) => cell.trim() !== '')
    return cells.length > 0 && cells.filter((cell) => readAddress(cell).ok).length > cells.length / 2
  })
  return columns.map((column, index) => (index === likely ? { to: 'email' } : column))
}

function customNameOf(header: string): string | undefined {
  if (header.startsWith(OWN_COLUMN)) return undefined
  const [first = '', ...rest] = plain(header)
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  const name = (first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')).slice(0, 50)
  return customFieldNameSchema.safeParse(name).success ? name : undefined
}

/** Without accents and case: `Prénom` is `prenom`. */
function plain(header: string): string {
  return header.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

function checkColumns(columns: Column[], context: z.RefinementCtx): void {
  const names = columns.flatMap((column) => {
    if (column.to === 'ignore') return []
    return [column.to === 'custom' ? `custom:${column.name}` : column.to]
  })
  const seen = new Set<string>()
  const twice = names.find((name) => seen.size === seen.add(name).size)
  if (twice) context.addIssue({ code: 'custom', message: `Two columns go to ${twice.replace('custom:', '')}.` })
  if (!names.includes('email')) context.addIssue({ code: 'custom', message: 'One column has to be the address.' })
  if (names.filter((name) => name.startsWith('custom:')).length > CUSTOM_FIELDS_MAX)
    context.addIssue({ code: 'custom', message: TOO_MANY_FIELDS })
}

function checkWith(schema: z.ZodType<string>): (text: string) => string | undefined {
  return (text) => schema.safeParse(text).error?.issues[0]?.message
}

const refuse = (reason: string): RowReading => ({ ok: false, reason })
