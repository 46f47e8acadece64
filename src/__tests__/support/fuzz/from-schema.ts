import * as fc from 'fast-check'
import { z } from 'zod'

/** What stands for a value whose name says more than its schema does: `timeZone`, `listId`. */
export type Hints = (name: string, schema: JsonSchema) => fc.Arbitrary<unknown> | undefined

export type JsonSchema = z.core.JSONSchema.JSONSchema

/**
 * Inputs that a schema takes, most of them: what it checks in code of its own (a pair of fields that belong together) is
 * not known to its JSON schema, and comes now and then as it must be. `z.toJSONSchema` is asked, and not zod's own
 * definitions, so that a schema is read here as the outside reads it.
 */
export function inputsOf(schema: z.ZodType, hints: Hints): fc.Arbitrary<unknown> {
  return inputOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), '', hints)
}

/** Beyond it, a list or a text is long for the sake of it: hostile.ts has those. */
const ITEMS_MAX = 5
const LENGTH_MAX = 60

export function inputOf(schema: JsonSchema, name: string, hints: Hints): fc.Arbitrary<unknown> {
  const hinted = hints(name, schema)
  if (hinted) return hinted
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom<unknown>(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => inputOf(one as JsonSchema, name, hints)))
  const types = [schema.type ?? []].flat()
  if (types.length > 1) return fc.oneof(...types.map((type) => inputOf({ ...schema, type } as JsonSchema, name, hints)))
  switch (types[0]) {
    case 'object':
      return objectOf(schema, hints)
    case 'array':
      return fc.array(inputOf((schema.items ?? {}) as JsonSchema, name, hints), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? ITEMS_MAX, ITEMS_MAX)),
      })
    case 'string':
      return textOf(schema)
    case 'integer': {
      const { minimum: min = 0, maximum: max = Number.MAX_SAFE_INTEGER } = schema
      return fc.oneof(fc.integer({ min, max: Math.min(max, min + 20) }), fc.constantFrom(min, max))
    }
    case 'number':
      return fc.oneof(fc.integer({ min: 0, max: 10 }), fc.double())
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.jsonValue()
  }
}

function objectOf(schema: JsonSchema, hints: Hints): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name,
    inputOf(field as JsonSchema, name, hints),
  ])
  const named = fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: schema.required ?? [],
  })
  if (!schema.additionalProperties || schema.additionalProperties === true) return named
  const others = fc.dictionary(
    textOf((schema.propertyNames ?? { type: 'string' }) as JsonSchema) as fc.Arbitrary<string>,
    inputOf(schema.additionalProperties as JsonSchema, '', hints),
    { maxKeys: ITEMS_MAX },
  )
  return fc.tuple(named, others).map(([one, other]) => ({ ...other, ...one }))
}

function textOf({ format, pattern, minLength = 0, maxLength = LENGTH_MAX }: JsonSchema): fc.Arbitrary<unknown> {
  if (format === 'date-time') return instants
  // Those that say which characters may not stand there are left to the hostile values.
  if (pattern && !pattern.includes('[^')) return fc.stringMatching(new RegExp(pattern, 'u'))
  const lengths = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, LENGTH_MAX)) }
  return fc.oneof(
    { weight: 3, arbitrary: fc.string({ ...lengths, unit: fc.constantFrom(...'abcdefgh -.é') }) },
    { weight: 1, arbitrary: fc.string({ ...lengths, unit: 'grapheme' }) },
  )
}

const instants = fc.oneof(
  fc
    .date({ min: new Date('2026-01-01'), max: new Date('2027-12-31'), noInvalidDate: true })
    .map((at) => at.toISOString()),
  fc.constantFrom(
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+23:59',
    '1969-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59-23:59',
    '2026-11-20T09:00:00.123456789+05:45',
  ),
)
