import type { openApiDocument } from './document.ts'
import type { JsonSchema } from './json-schema.ts'

type Document = ReturnType<typeof openApiDocument>

type Described = {
  description: string
  parameters?: { name?: string; in?: string; required?: boolean; schema?: JsonSchema; $ref?: string }[]
  requestBody?: { required?: boolean; content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, { content?: Record<string, { schema?: JsonSchema }> }>
}

/**
 * What every operation takes and answers, as types for the client. Tools that do this for any document need the compiler
 * of TypeScript 5; ours knows the few words that zod writes.
 */
export function typesOf(document: Document): string {
  const { schemas } = document.components as { schemas: Record<string, JsonSchema> }
  const named = Object.entries(schemas).map(([name, schema]) => `export type ${name} = ${typeOf(schema)}\n`)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      operationOf(`${method.toUpperCase()} ${path}`, operation as Described),
    ),
  )
  return `// Made from the API's document by \`npm run client\`; changes here are lost.\n\n${named.join('\n')}\nexport interface Operations {\n${operations.join('\n')}\n}\n`
}

function operationOf(name: string, { description, parameters = [], requestBody, responses }: Described): string {
  const within = (place: string) =>
    parameters.flatMap((parameter) =>
      parameter.in === place ? [field(parameter.name, parameter.schema, parameter.required)] : [],
    )
  const body = requestBody?.content['application/json']?.schema
  const parts = [
    part('params', within('path'), true),
    part(
      'query',
      within('query'),
      parameters.some((one) => one.in === 'query' && one.required),
    ),
    ...(body ? [`body${requestBody?.required ? '' : '?'}: ${typeOf(body)}`] : []),
    ...(requestBody && !body ? ['form: FormData'] : []),
    ...(parameters.some(({ $ref }) => $ref?.endsWith('/IfMatch')) ? ['ifVersion?: number | string'] : []),
  ].filter(Boolean)
  const says = description.replaceAll('*/', '').split('\n\n').join(' ')
  return `  /** ${says} */\n  '${name}': {\n    sent: { ${parts.join('; ')} }\n    received: ${receivedOf(responses)}\n  }`
}

const part = (name: string, fields: string[], required: boolean) =>
  fields.length > 0 ? `${name}${required ? '' : '?'}: { ${fields.join('; ')} }` : ''

/** The data within the envelope, or a file. */
function receivedOf(responses: Described['responses']): string {
  const content = (responses[201] ?? responses[200])?.content ?? {}
  const data = content['application/json']?.schema?.properties?.data
  const isFile = Object.keys(content).some((type) => !/json/.test(type)) || !data
  return [data && typeOf(data as JsonSchema), isFile && 'Blob'].filter(Boolean).join(' | ')
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'unknown'
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const options = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (options) return [...new Set(options.map(typeOf))].join(' | ')
  const types: unknown = schema.type
  if (Array.isArray(types)) return types.map((type) => typeOf({ ...schema, type })).join(' | ')
  switch (schema.type) {
    case 'object':
      return objectOf(schema)
    case 'array':
      return `Array<${typeOf((schema.items ?? {}) as JsonSchema)}>`
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    default:
      return 'unknown'
  }
}

function objectOf({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const fields = Object.entries(properties).map(([name, schema]) =>
    field(name, schema as JsonSchema, required.includes(name)),
  )
  if (fields.length > 0) return `{ ${fields.join('; ')} }`
  return typeof additionalProperties === 'object'
    ? `Record<string, ${typeOf(additionalProperties as JsonSchema)}>`
    : 'Record<string, never>'
}

const field = (name = '', schema: JsonSchema = {}, required = false) =>
  `${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required ? '' : '?'}: ${typeOf(schema)}`
