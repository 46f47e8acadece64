import { z } from 'zod'

export type JsonSchema = z.core.JSONSchema.BaseSchema

/** Schemas that have a name of their own (`.meta({ id })`), as they stand once in the document. */
export type NamedSchemas = Map<string, JsonSchema>

/**
 * What comes in or goes out, as JSON carries it. OpenAPI 3.1 speaks the dialect that zod writes. What comes in is closed,
 * since the edge refuses what no schema names; what goes out is open, so that a field more breaks no program.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output', named: NamedSchemas): JsonSchema {
  const {
    $schema: _dialect,
    $defs = {},
    ...written
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' })
      delete jsonSchema.id
      if (zodSchema._zod.def.type !== 'object') return
      if (io === 'input') jsonSchema.additionalProperties ??= false
      else if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  for (const [name, part] of Object.entries($defs)) named.set(name, pointed(part as JsonSchema) as JsonSchema)
  return pointed(written) as JsonSchema
}

/** zod keeps named schemas beside each schema, and the document all of them in one place. */
function pointed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === '$ref' && typeof part === 'string' ? part.replace('#/$defs/', '#/components/schemas/') : pointed(part),
    ]),
  )
}

/** The schema that a reference names, or the schema itself. */
export function resolved(schema: JsonSchema, named: NamedSchemas): JsonSchema {
  return schema.$ref ? (named.get(schema.$ref.replace('#/components/schemas/', '')) ?? schema) : schema
}
