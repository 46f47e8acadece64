import { type JsonSchema, type NamedSchemas, resolved } from './json-schema.ts'

const MOMENT = '2026-11-20T09:00:00.000Z'

/** What stands for a field of this name, where its schema takes it. */
const BY_NAME: Readonly<Record<string, readonly unknown[]>> = {
  address: ['sales@example.com', '203.0.113.7'],
  actorEmail: ['ada@example.com'],
  bodyText: ['Dear {{firstName}}, shall we meet at the fair?'],
  bodyHtml: ['<p>Dear {{firstName}}, shall we meet at the fair?</p>'],
  company: ['Example Ltd'],
  country: ['DE'],
  cursor: [null],
  date: ['2026-11-20', MOMENT],
  domain: ['example.com'],
  email: ['ada@example.com'],
  fileName: ['people.csv', 'invite.ics'],
  firstName: ['Ada'],
  from: [MOMENT],
  host: ['smtp.example.com'],
  html: ['<p>Your table is booked.</p>'],
  idempotencyKey: ['tx:0199b1f0-0000-7000-8000-000000000001:9f86d081'],
  key: ['sendonce_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  lastDate: ['2026-12-02'],
  lastName: ['Example'],
  localDate: ['2026-11-20'],
  mailbox: ['sales@example.com'],
  messageId: ['<0199b1f0@example.com>'],
  month: ['2026-12'],
  name: ['Trade fair', 'firstName'],
  nextCursor: [null],
  password: ['correct horse battery'],
  personName: ['Ada Example'],
  postalAddress: ['Example Ltd, 1 Example Street, 12345 Example'],
  recipient: ['ada@example.com'],
  scopes: [['read']],
  sentence: ['It waits for its time.'],
  subject: ['Your table is booked'],
  text: ['Your table is booked.'],
  timeZone: ['Europe/Berlin'],
  to: ['ada@example.com'],
  token: ['a-token-from-a-link'],
  until: ['2026-11-20T17:00:00.000Z'],
  username: ['sales@example.com'],
  value: ['example.com'],
  version: [3, '3'],
  workspaceName: ['Example Ltd'],
}

/** The deepest that one schema may lead to the next: a filter within a filter within a filter says no more. */
const DEPTH_MAX = 12

/** A value that a schema takes, by the names of its fields. Of what comes in, only what is needed. */
export function exampleOf(
  given: JsonSchema,
  io: 'input' | 'output',
  named: NamedSchemas,
  name = '',
  depth = 0,
): unknown {
  const schema = resolved(given, named)
  const hinted = BY_NAME[name]?.find((value) => takes(schema, value))
  if (hinted !== undefined) return hinted
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const [first] = schema.anyOf ?? schema.oneOf ?? []
  const within = (part: unknown, of: string) => exampleOf(part as JsonSchema, io, named, of, depth + 1)
  if (first) return within(first, name)
  switch (typeOf(schema)) {
    case 'object':
      return depth > DEPTH_MAX
        ? {}
        : Object.fromEntries(
            fieldsOf(schema)
              .filter(([field]) => io === 'output' || schema.required?.includes(field))
              .map(([field, part]) => [field, within(part, field)]),
          )
    case 'array':
      return io === 'input' && !schema.minItems ? [] : [within(schema.items ?? {}, name)]
    case 'string':
      return textOf(schema)
    case 'integer':
    case 'number':
      return Math.min(Math.max(schema.minimum ?? 0, 1), schema.maximum ?? 1)
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return {}
  }
}

/** Those of an object that is keyed by the words of a list, too: all of its fields have one schema. */
function fieldsOf({ properties = {}, required = [], additionalProperties }: JsonSchema): [string, unknown][] {
  const keyed = required.filter((field) => !(field in properties))
  return [...Object.entries(properties), ...keyed.map((field): [string, unknown] => [field, additionalProperties])]
}

function textOf({ format, minLength = 0 }: JsonSchema): string {
  if (format === 'uuid') return '0199b1f0-0000-7000-8000-000000000001'
  if (format === 'date-time') return MOMENT
  if (format === 'date') return '2026-11-20'
  if (format === 'email') return 'ada@example.com'
  return 'text'.padEnd(minLength, '.')
}

const typeOf = ({ type }: JsonSchema) => (Array.isArray(type) ? type[0] : type)

const FORMATS: Readonly<Record<string, RegExp>> = {
  email: /@/,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /T.*Z$/,
}

/** Whether a hint fits, as far as it is told apart here; a test asks the schema itself. */
function takes(schema: JsonSchema, value: unknown): boolean {
  const options = schema.anyOf ?? schema.oneOf
  if (options) return options.some((one) => takes(one as JsonSchema, value))
  if (schema.const !== undefined || schema.enum)
    return schema.const === value || (schema.enum ?? []).includes(value as string)
  if (schema.format && !FORMATS[schema.format]?.test(String(value))) return false
  if (schema.pattern && typeof value === 'string' && !new RegExp(schema.pattern, 'u').test(value)) return false
  if (value === null) return schema.type === 'null'
  if (Array.isArray(value))
    return schema.type === 'array' && value.every((item) => takes((schema.items ?? {}) as JsonSchema, item))
  return schema.type === (typeof value === 'number' && schema.type === 'integer' ? 'integer' : typeof value)
}
