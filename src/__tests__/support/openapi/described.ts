import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { openApiDocument } from '#lib/openapi/document.ts'

export type Schema = Record<string, unknown>
export type Media = { schema?: Schema; example?: unknown }
export type Content = { $ref?: string; headers?: Record<string, unknown>; content?: Record<string, Media> }
export type Described = {
  operationId: string
  parameters?: { $ref?: string; name?: string; in?: string; required?: boolean; schema?: Schema; example?: unknown }[]
  requestBody?: Content
  responses: Record<string, Content>
  security: Record<string, string[]>[]
}

export type DescribedOperation = { method: string; path: string; operation: Described }

type Document = ReturnType<typeof openApiDocument>

export function describedOperations(document: Document): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: operation as Described,
    })),
  )
}

/** What a reference names. */
export function atReference(part: Content, document: Document): Content {
  if (!part.$ref) return part
  return part.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document) as Content
}

/** What a body or an answer holds as JSON: nothing, or one schema with its example. */
export function jsonOf(part: Content | undefined, document: Document): Media[] {
  const media = part && atReference(part, document).content?.['application/json']
  return media ? [media] : []
}

/** Says what a value has that a schema of the document does not allow. */
export function validatorOf(document: Document): (schema: Schema, value: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'document', components: document.components })
  const known = new Map<Schema, ReturnType<typeof ajv.compile>>()
  return (schema, value) => {
    const check = known.get(schema) ?? ajv.compile(rebased(schema) as Schema)
    known.set(schema, check)
    return check(value) ? [] : (check.errors ?? []).map(written)
  }
}

const written = ({ instancePath, message, params }: ErrorObject) =>
  `${instancePath || '/'} ${message} ${JSON.stringify(params)}`

/** A part of the document, by itself: what it names stays in the document. */
function rebased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rebased)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === '$ref' && typeof part === 'string' && part.startsWith('#/') ? `document${part}` : rebased(part),
    ]),
  )
}
