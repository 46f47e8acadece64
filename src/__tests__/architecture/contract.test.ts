import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { projectRoot } from '#cli/project.ts'
import { CONTRACT } from '#lib/contract/contract.ts'
import type { Operation } from '#lib/contract/operation.ts'
import { INTEGER_MAX } from '#lib/contract/shared.ts'
import { longest } from '#lib/platform/http/known-fields.ts'
import type { RouteHandler } from '#lib/platform/http/route.ts'
import { METHODS } from '#lib/platform/operation.ts'
import { sourceFiles } from '#tests/support/source-files.ts'

/** What answers at every other address belongs to no operation. */
const NOWHERE = '/api/[...path]'

const operations = new Map<string, Operation>(
  Object.values(CONTRACT)
    .flatMap((area): Operation[] => Object.values(area))
    .map((operation) => [nameOf(operation), operation]),
)

describe('the contract', () => {
  test('names each operation once, by method and path', () => {
    const all = Object.values(CONTRACT).flatMap((area) => Object.values(area))
    expect(operations.size).toBe(all.length)
  })

  test('has an operation for every route on disk, the very one that the route was made from, and no other', async () => {
    const onDisk = new Map<string, RouteHandler>()
    for (const { path } of sourceFiles('src/app/api').filter(({ path }) => path.endsWith('/route.ts'))) {
      const module: Record<string, RouteHandler> = await import(join(projectRoot, path))
      const address = `/${posix.dirname(path).slice('src/app/'.length)}`
      for (const method of METHODS) if (module[method]) onDisk.set(`${method} ${address}`, module[method])
    }
    // A handler without an operation has not come through the one edge.
    expect([...onDisk].filter(([, handler]) => !('operation' in handler)).map(([name]) => name)).toEqual([])
    for (const method of METHODS) onDisk.delete(`${method} ${NOWHERE}`)
    expect([...operations.keys()].sort()).toEqual([...onDisk.keys()].sort())
    const others = [...onDisk].filter(([name, handler]) => handler.operation !== operations.get(name))
    expect(others.map(([name]) => name)).toEqual([])
  })

  test('asks for every id that an address has, and for no other', () => {
    const wrong = [...operations].filter(([, { path, params }]) => {
      const inPath = [...path.matchAll(/\[(\w+)\]/g)].map((match) => match[1])
      const shape = params && 'shape' in params ? Object.keys(params.shape as object) : []
      return inPath.join() !== shape.join()
    })
    expect(wrong.map(([name]) => name)).toEqual([])
  })

  test('says of each operation in one sentence what it does, and how it answers', () => {
    const wrong = [...operations].filter(
      ([, { summary, output, download }]) => !/^[A-Z].+\.$/.test(summary) || !(output || download),
    )
    expect(wrong.map(([name]) => name)).toEqual([])
  })

  test('says of every list that comes in how long it may be, so that no more is ever looked into', () => {
    const wrong = [...operations].flatMap(([name, { query, body }]) =>
      [query, body].flatMap((schema) => (schema ? listsWithoutEnd(schema).map((at) => `${name}: ${at}`) : [])),
    )
    expect(wrong).toEqual([])
  })

  test('says of every whole number that comes in how large it may be, and no larger than a column takes', () => {
    const wrong = [...operations].flatMap(([name, { params, query, body }]) =>
      [params, query, body].flatMap((schema) =>
        schema ? numbersWithoutEnd(schema).map((at) => `${name}: ${at}`) : [],
      ),
    )
    expect(wrong).toEqual([])
  })

  test('stands on zod and vocabulary: nothing that it loads opens a database or a connection', () => {
    const allowed = ['zod', 'temporal-polyfill', 'node:url', 'node:net', 'node:crypto']
    const files = new Map(sourceFiles('src/lib').map((file) => [file.path, file.text]))
    const wrong: string[] = []
    const seen = new Set<string>()
    const visit = (path: string): void => {
      if (seen.has(path)) return
      seen.add(path)
      for (const target of loadedBy(files.get(path) ?? '')) {
        if (target.startsWith('.')) visit(posix.join(posix.dirname(path), target))
        else if (target.startsWith('#lib/')) visit(`src/lib/${target.slice('#lib/'.length)}`)
        else if (!allowed.includes(target)) wrong.push(`${path} loads ${target}`)
      }
    }
    for (const path of files.keys()) if (posix.dirname(path) === 'src/lib/contract') visit(path)
    expect(wrong).toEqual([])
  })

  test('is known to the pages by its types alone', () => {
    const wrong = [...sourceFiles('src/components'), ...sourceFiles('src/app')]
      .filter(({ path }) => !path.startsWith('src/app/api/'))
      .filter(({ text }) => loadedBy(text).some((target) => target.startsWith('#lib/contract/')))
      .map(({ path }) => path)
    expect(wrong).toEqual([])
  })
})

function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`
}

function numbersWithoutEnd(schema: z.ZodType): string[] {
  const wrong: string[] = []
  const visit = (part: z.core.JSONSchema.BaseSchema, at: string): void => {
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = part
    if (part.type === 'integer' && (maximum > INTEGER_MAX || minimum < -INTEGER_MAX)) wrong.push(at)
    for (const [name, field] of Object.entries(part.properties ?? {})) visit(field as typeof part, `${at}.${name}`)
    for (const one of part.anyOf ?? []) visit(one as typeof part, at)
    for (const inner of [part.items, part.additionalProperties])
      if (typeof inner === 'object') visit(inner as typeof part, `${at}[]`)
  }
  visit(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), '')
  return wrong
}

function listsWithoutEnd(schema: z.core.$ZodType, at = ''): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object')
    return Object.entries(def.shape).flatMap(([name, field]) => listsWithoutEnd(field, `${at}.${name}`))
  if (def.type === 'union') return def.options.flatMap((option) => listsWithoutEnd(option, at))
  if (def.type === 'pipe') return [...listsWithoutEnd(def.in, at), ...listsWithoutEnd(def.out, at)]
  if (def.type === 'record') return listsWithoutEnd(def.valueType, `${at}.*`)
  if (def.type === 'array')
    return [...(longest(schema) === undefined ? [at] : []), ...listsWithoutEnd(def.element, `${at}[]`)]
  return 'innerType' in def ? listsWithoutEnd(def.innerType, at) : []
}

/** What a file imports when it runs: types are gone by then. */
function loadedBy(text: string): string[] {
  const statements = text.matchAll(/^(?:import|export)\s+(?!type\b)((?:[^'";]|;(?!\n))*?)\s*from\s+'([^']+)'/gm)
  return [...statements].flatMap(([, names = '', target = '']) => {
    const inBraces = /^\{([\s\S]*)\}$/.exec(names.trim())?.[1]
    const isTypesAlone = inBraces
      ?.split(',')
      .map((name) => name.trim())
      .filter(Boolean)
      .every((name) => name.startsWith('type '))
    return isTypesAlone ? [] : [target]
  })
}
