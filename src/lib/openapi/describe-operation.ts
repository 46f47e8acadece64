import { type Operation, scopesOf } from '#lib/contract/operation.ts'
import { PROGRESS_TYPE } from '#lib/platform/http/progress.ts'
import { exampleOf } from './example-of.ts'
import { type JsonSchema, jsonSchemaOf, type NamedSchemas } from './json-schema.ts'
import { parametersOf } from './parameters.ts'
import { REFUSALS_BY_STATUS, refusalsOf } from './refusals.ts'

type Described = Record<string, unknown>

export type NamedOperation = { operationId: string; title: string; tag: string; operation: Operation }

/** One operation as OpenAPI has it: who may call it, what it takes, and everything that it may answer. */
export function describeOperation(
  { operationId, title, tag, operation }: NamedOperation,
  named: NamedSchemas,
): Described {
  const parameters = parametersOf(operation, named)
  const requestBody = bodyOf(operation, named)
  return {
    operationId,
    tags: [tag],
    summary: title,
    description: `${operation.summary}\n\n${whoMay(operation)}`,
    security: securityOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: { ...answersOf(operation, named), ...Object.fromEntries(refusalsOf(operation).map(refusalAt)) },
  }
}

function whoMay(operation: Operation): string {
  const { access, peopleOnly } = operation
  if (access === 'public') return 'Open to everybody.'
  if (access === 'secret') return 'Asks for the secret of the installation.'
  if (access === 'person') return 'For people who are signed in; no API key opens it.'
  const people = { member: 'For members', admin: 'For admins and owners', owner: 'For owners' }[access]
  if (peopleOnly) return `${people} who are signed in; no API key opens it.`
  return `${people}; of an API key, it asks for the scope ${scopesOf(operation).join(' or ')}.`
}

/** In a list, any one is enough; so each scope that is enough stands for itself. `admin` includes the others. */
function securityOf(operation: Operation): Record<string, readonly string[]>[] {
  const { access, peopleOnly } = operation
  if (access === 'public') return []
  if (access === 'secret') return [{ secret: [] }]
  if (access === 'person' || peopleOnly) return [{ session: [] }]
  return [{ session: [] }, ...scopesOf(operation).map((scope) => ({ key: [scope] }))]
}

function bodyOf({ body, upload, form, example }: Operation, named: NamedSchemas): Described | undefined {
  if (upload) return { required: true, content: { [upload]: formOf(form ?? {}, named) } }
  if (!body) return undefined
  const schema = jsonSchemaOf(body, 'input', named)
  return {
    required: !body.safeParse({}).success,
    content: { 'application/json': { schema, example: example ?? exampleOf(schema, 'input', named) } },
  }
}

/** A file, and beside it parts that are JSON. */
function formOf(form: NonNullable<Operation['form']>, named: NamedSchemas): Described {
  const parts = Object.entries(form).map(([name, part]) => [name, jsonSchemaOf(part, 'input', named)] as const)
  return {
    schema: {
      type: 'object',
      properties: {
        file: { type: 'string', contentMediaType: 'application/octet-stream', description: 'The file itself.' },
        ...Object.fromEntries(parts),
      },
      required: ['file'],
    },
    encoding: Object.fromEntries(parts.map(([name]) => [name, { contentType: 'application/json' }])),
  }
}

function answersOf(operation: Operation, named: NamedSchemas): Described {
  const { makes, download, output, progress } = operation
  const schema = output && envelopeOf(jsonSchemaOf(output, 'output', named))
  const content = {
    ...(download && { [download]: {} }),
    ...(schema && { 'application/json': { schema, example: exampleOf(schema, 'output', named) } }),
    ...(progress && { [PROGRESS_TYPE]: { schema: linesOf(jsonSchemaOf(progress, 'output', named)) } }),
  }
  const headers = headersOf(operation)
  const done = { description: 'It is done, or here it is.', headers, content }
  const made = {
    description: 'It is made; Location says where it can be asked for.',
    headers: { ...headers, location: ref('headers/Location') },
    content,
  }
  if (!makes) return { 200: done }
  // Who asks to be told on the way is answered before anything is made.
  return {
    201: made,
    ...((makes.when || makes.unless || progress) && {
      200: { ...done, description: 'It was there already, and nothing was made.' },
    }),
  }
}

function headersOf({ method, access, download, versioned }: Operation): Described {
  return {
    'x-request-id': ref('headers/RequestId'),
    ...(versioned && { etag: ref('headers/ETag') }),
    ...(method === 'POST' &&
      !download &&
      access !== 'public' && { 'idempotency-replayed': ref('headers/IdempotencyReplayed') }),
  }
}

const envelopeOf = (data: JsonSchema) => ({
  type: 'object' as const,
  properties: { success: { const: true }, data },
  required: ['success', 'data'],
})

const linesOf = (progress: JsonSchema) => ({
  type: 'string',
  description: 'One JSON value in each line: `{"progress": …}` for each step, at last `{"status": …, "answer": …}`.',
  contentMediaType: PROGRESS_TYPE,
  contentSchema: { type: 'object', properties: { progress } },
})

function refusalAt(status: number): [number, Described] {
  return [status, ref(`responses/${REFUSALS_BY_STATUS[status]?.name}`)]
}

const ref = (to: string) => ({ $ref: `#/components/${to}` })
