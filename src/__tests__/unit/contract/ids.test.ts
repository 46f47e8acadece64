import { expect, test } from 'vitest'
import type { z } from 'zod'
import { CONTRACT } from '#lib/contract/contract.ts'
import type { Operation } from '#lib/contract/operation.ts'

/** Every schema of an id that stands anywhere in what is asked. */
function idsIn(schema: z.core.$ZodType | undefined, path: string): [string, z.core.$ZodType][] {
  if (!schema) return []
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'string') return 'format' in def && def.format === 'uuid' ? [[path, schema]] : []
  if (def.type === 'object') return Object.entries(def.shape).flatMap(([name, each]) => idsIn(each, `${path}.${name}`))
  if (def.type === 'array') return idsIn(def.element, `${path}[]`)
  if (def.type === 'union') return def.options.flatMap((option) => idsIn(option, path))
  if (def.type === 'record') return idsIn(def.valueType, `${path}{}`)
  if (def.type === 'pipe') return idsIn(def.in, path)
  return 'innerType' in def ? idsIn(def.innerType, path) : []
}

const asked = Object.values(CONTRACT)
  .flatMap((area): Operation[] => Object.values(area))
  .flatMap(({ method, path, params, query, body }) =>
    [params, query, body].flatMap((schema) => idsIn(schema, `${method} ${path}`)),
  )

test('an id is the same in whatever letters it is written: code compares it with what the database gives', () => {
  expect(asked.length).toBeGreaterThan(100)
  const id = '0199B1F0-0000-7000-8000-00000000000A'
  const kept = asked.flatMap(([path, schema]) => {
    const read = (schema as z.ZodType).safeParse(id)
    return read.data === id.toLowerCase() ? [] : [path]
  })
  expect(kept).toEqual([])
})
