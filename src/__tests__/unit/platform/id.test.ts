import { expect, test } from 'vitest'
import { isId, newId } from '#lib/platform/id.ts'

test('ids are UUIDs of version 7, and later ones sort after earlier ones', async () => {
  const ids: string[] = []
  for (let index = 0; index < 5; index += 1) {
    ids.push(newId())
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(Array.from({ length: 10_000 }, newId)).size).toBe(10_000)
})

test('what is not an id is recognised before Postgres has to', () => {
  expect(isId(newId())).toBe(true)
  for (const wrong of ['', 'x', '1', `${newId()}0`, `{${newId()}}`, newId().replaceAll('-', '')])
    expect(isId(wrong)).toBe(false)
})
