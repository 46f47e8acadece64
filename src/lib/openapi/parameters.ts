import type { Operation } from '#lib/contract/operation.ts'
import { exampleOf } from './example-of.ts'
import { type JsonSchema, jsonSchemaOf, type NamedSchemas } from './json-schema.ts'

/** What stands in the address and in headers. */
export function parametersOf(operation: Operation, named: NamedSchemas): object[] {
  const { params, query } = operation
  return [
    ...(params ? fieldsOf(jsonSchemaOf(params, 'input', named), 'path', named) : []),
    ...(query ? fieldsOf(jsonSchemaOf(query, 'input', named), 'query', named) : []),
    ...headersTaken(operation).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
}

/** An address is flat: of a query in several forms, every field of every form may stand there. */
function fieldsOf(schema: JsonSchema, place: 'path' | 'query', named: NamedSchemas): object[] {
  const forms = (schema.anyOf ?? schema.oneOf ?? [schema]) as JsonSchema[]
  const names = [...new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties)))]
  return names.map((name) => {
    const shapes = forms.flatMap(({ properties }) => (properties?.[name] ? [properties[name] as JsonSchema] : []))
    const [first = {}] = shapes
    const required = forms.every((form) => form.required?.includes(name))
    const field = shapes.length > 1 ? { anyOf: distinct(shapes) } : first
    return {
      name,
      in: place,
      required: place === 'path' || required,
      schema: field,
      ...((place === 'path' || required) && { example: exampleOf(field as JsonSchema, 'input', named, name) }),
    }
  })
}

function distinct(schemas: JsonSchema[]): JsonSchema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
}

function headersTaken({ method, access, download, workspaceInPath, versioned }: Operation): string[] {
  const isOfWorkspace = access !== 'public' && access !== 'secret' && access !== 'person'
  return [
    ...(isOfWorkspace && !workspaceInPath ? ['WorkspaceId'] : []),
    ...(method === 'POST' && !download && (isOfWorkspace || access === 'person') ? ['IdempotencyKey'] : []),
    ...(method !== 'GET' && versioned ? ['IfMatch'] : []),
  ]
}
