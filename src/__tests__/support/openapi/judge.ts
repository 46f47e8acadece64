import type { openApiDocument } from '#lib/openapi/document.ts'
import type { Ask } from '#tests/support/fuzz/requests.ts'
import type { RawAnswer } from '#tests/support/server/raw-request.ts'
import { atReference, type Content, describedOperations, type Schema, validatorOf } from './described.ts'

type Document = ReturnType<typeof openApiDocument>

/** What the front door and Next answer before any operation is reached. */
const BEFORE_ANY_OPERATION = [204, 307, 308, 400, 405, 408, 413, 414, 417, 431]

type Seen = { status: number; type: string; body: string; header: (name: string) => string | undefined }

/** Holds answers to what the document says of their operation. */
export class DocumentJudge {
  readonly #document: Document
  readonly #validate: (schema: Schema, value: unknown) => string[]
  readonly #operations: Map<string, Record<string, Content>>

  constructor(document: Document) {
    this.#document = document
    this.#validate = validatorOf(document)
    this.#operations = new Map(
      describedOperations(document).map(({ method, path, operation }) => [`${method} ${path}`, operation.responses]),
    )
  }

  /** Of a request that was made up: only where it was for this operation, whatever it held. */
  complaintsAboutAsk({ operation, method, address }: Ask, { status, headers, body }: RawAnswer): string[] {
    const [path = ''] = address.split(/[?#]/)
    const isFor =
      new RegExp(`^${operation.path.replaceAll(/\[\w+\]/g, '[\\w.-]+')}$`).test(path) && !path.includes('..')
    if (!isFor || method !== operation.method || !status) return []
    const name = `${method} ${operation.path.replaceAll(/\[(\w+)\]/g, '{$1}')}`
    const header = (field: string) => headers.get(field)?.[0]
    return this.complaintsAbout(name, { status, type: header('content-type') ?? '', body, header }, true)
  }

  /** `mayBeEarly`: what was sent may not have been a request for an operation at all. */
  complaintsAbout(name: string, { status, type, body, header }: Seen, mayBeEarly = false): string[] {
    const responses = this.#operations.get(name)
    if (!responses) return [`${name} is not in the document`]
    const named = responses[status]
    if (!named) return mayBeEarly && BEFORE_ANY_OPERATION.includes(status) ? [] : [`the document allows no ${status}`]
    const { content = {}, headers = {} } = atReference(named, this.#document)
    const missing = ['x-request-id', 'location', 'etag', 'retry-after']
      // Of keys that are too many, nobody can say when.
      .filter((field) => field !== 'retry-after' && field in headers && header(field) === undefined)
      .filter((field) => field !== 'etag' || !type.startsWith('application/x-ndjson'))
    const complaints = missing.map((field) => `the document promises ${field}`)
    const [media = ''] = type.split(';')
    const described = content[media]
    if (!described) return [...complaints, `the document allows no ${media || 'answer without a type'}`]
    if (media !== 'application/json' || !described.schema) return complaints
    return [
      ...complaints,
      ...this.#validate(described.schema, parsed(body)).map((found) => `against the document: ${found}`),
    ]
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
