import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { GET } from '#app/api/openapi.json/route.ts'
import { projectRoot } from '#cli/project.ts'
import { CONTRACT } from '#lib/contract/contract.ts'
import type { Operation } from '#lib/contract/operation.ts'
import { API_VERSION, namedOperations, openApiDocument } from '#lib/openapi/document.ts'
import { publishedDocument } from '#lib/openapi/published.ts'
import { describedOperations, jsonOf, validatorOf } from '#tests/support/openapi/described.ts'
import { sourceFiles } from '#tests/support/source-files.ts'

const document = openApiDocument()
const operations = Object.values(CONTRACT).flatMap((area): Operation[] => Object.values(area))
const named = namedOperations().map((one) => ({ name: `${one.operation.method} ${one.operation.path}`, ...one }))
const described = describedOperations(document)
const validate = validatorOf(document)

describe('the OpenAPI document', () => {
  test('is one of OpenAPI 3.1, with every reference in place', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)))
    expect(errors ?? []).toEqual([])
    expect([valid, validator.version]).toEqual([true, '3.1'])
    const text = JSON.stringify(document)
    for (const [, pointer = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = pointer.split('/').reduce<unknown>((at, part) => (at as Record<string, unknown>)?.[part], document)
      expect([pointer, found !== undefined]).toEqual([pointer, true])
    }
  })

  test('has every route on disk, by each of its methods, and nothing else', () => {
    const onDisk = sourceFiles('src/app/api').flatMap(({ path, text }) => {
      if (!path.endsWith('/route.ts') || path.includes('[...path]')) return []
      const address = path.slice('src/app'.length, -'/route.ts'.length).replaceAll(/\[(\w+)\]/g, '{$1}')
      return [...text.matchAll(/^export const (GET|POST|PUT|PATCH|DELETE)\b/gm)].map(
        ([, method]) => `${method} ${address}`,
      )
    })
    expect(onDisk.length).toBeGreaterThan(100)
    expect(described.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(onDisk.sort())
  })

  test('names each operation once, and says its version', () => {
    const ids = described.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(operations.length)
    const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }
    expect(API_VERSION).toBe(version)
  })

  test('holds no pattern that needs a flag: JSON schema knows none but Unicode', () => {
    const wrong = operations.flatMap(({ method, path, params, query, body, form }) =>
      [params, query, body, ...Object.values(form ?? {})].flatMap((schema) =>
        schema ? flagsIn(schema).map((found) => `${method} ${path}: ${found}`) : [],
      ),
    )
    expect(wrong).toEqual([])
  })
})

describe('the address of the document', () => {
  const ask = (headers: Record<string, string> = {}) =>
    GET(new Request('http://localhost:3000/api/openapi.json', { headers }), { params: Promise.resolve({}) })

  test('answers with it, and with nothing to whoever has it already', async () => {
    const answer = await ask()
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(document)))
    const etag = answer.headers.get('etag') ?? ''
    expect(etag).toBe(publishedDocument().etag)
    const again = await ask({ 'if-none-match': `"other", ${etag}` })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200)
  })
})

describe('of each operation', () => {
  test.each(named.filter(({ operation }) => operation.body))('$name has a body for an example that it takes', (one) => {
    const example = exampleOf(one.operationId)
    const parsed = one.operation.body?.safeParse(example)
    expect(parsed?.error?.issues ?? []).toEqual([])
  })

  test.each(described)('$method $path has examples that its own schemas allow', ({ operation }) => {
    const media = [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
      jsonOf(part, document),
    )
    for (const { schema, example } of media)
      if (schema && example !== undefined) expect(validate(schema, example)).toEqual([])
    for (const { schema, example } of operation.parameters ?? [])
      if (schema && example !== undefined) expect(validate(schema, example)).toEqual([])
  })

  test.each(described)('$method $path has an answer, each with its example where it is JSON', ({ operation }) => {
    const answers = Object.entries(operation.responses)
    expect(answers.some(([status]) => status === '200' || status === '201')).toBe(true)
    for (const [, answer] of answers)
      for (const { schema, example } of jsonOf(answer, document))
        expect(schema === undefined).toBe(example === undefined)
  })
})

function exampleOf(operationId: string): unknown {
  const { operation } = described.find((one) => one.operation.operationId === operationId) ?? {}
  return jsonOf(operation?.requestBody, document)[0]?.example
}

function flagsIn(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  if (value instanceof RegExp) return /[^u]/.test(value.flags) ? [String(value)] : []
  const def = (value as { _zod?: { def: object } })._zod?.def ?? value
  return Object.values(def).flatMap((part) => flagsIn(part, seen))
}
