import * as fc from 'fast-check'
import { inputOf, type JsonSchema } from '#tests/support/fuzz/from-schema.ts'
import { spoiled } from '#tests/support/fuzz/hostile.ts'
import { hintsWith, idOf, kindOf } from '#tests/support/fuzz/requests.ts'
import type { DescribedOperation, Schema } from './described.ts'

/** A request for an operation of the document; ids stand in it as tokens (fuzz/requests.ts). */
export type Wish = { address: string; body: string | undefined }

/** Inputs that the document allows, and those with one thing in them that does not belong there. */
export function wishesFor({ path, method, operation }: DescribedOperation, smtpPort: number) {
  const hints = hintsWith(smtpPort)
  const input = (schema: Schema, name = '') => inputOf(schema as JsonSchema, name, hints)
  const parts = path.split('/').map((part, index, all) => {
    if (part === '{id}' || part.endsWith('Id}')) return idOf(kindOf(all.slice(0, index)))
    return part.startsWith('{') ? fc.constantFrom('1', '2') : fc.constant(part)
  })
  const address = fc.tuple(...parts).map((all) => all.join('/'))
  const fields = (operation.parameters ?? []).filter((one) => one.in === 'query' && one.name)
  const query = fc.record(Object.fromEntries(fields.map(({ name = '', schema = {} }) => [name, input(schema, name)])), {
    requiredKeys: fields.flatMap(({ name, required }) => (required && name ? [name] : [])),
  })
  const { schema, example } = operation.requestBody?.content?.['application/json'] ?? {}
  const body = schema ? fc.oneof(fc.constant(example), input(schema)) : fc.constant(undefined)
  const written = (value: unknown) => (method === 'GET' || value === undefined ? undefined : JSON.stringify(value))
  const wish = (queries: fc.Arbitrary<unknown>, bodies: fc.Arbitrary<unknown>): fc.Arbitrary<Wish> =>
    fc
      .tuple(address, queries, bodies)
      .map(([at, asked, sent]) => ({ address: at + search(asked), body: written(sent) }))
  return { good: wish(query, body), bad: wish(spoiled(query), spoiled(schema ? body : fc.constant({}))) }
}

function search(asked: unknown): string {
  const entries = Object.entries(typeof asked === 'object' && asked !== null ? asked : { search: asked })
  const written = entries.flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return text === undefined || !name.isWellFormed() || !text.isWellFormed()
      ? []
      : [`${encodeURIComponent(name)}=${encodeURIComponent(text)}`]
  })
  return written.length > 0
    ? `?${written
        .join('&')
        .slice(0, 4_000)
        .replace(/%[0-9A-F]?$/, '')}`
    : ''
}
