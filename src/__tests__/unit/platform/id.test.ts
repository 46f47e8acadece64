import { expect, test, vi } from 'vitest'
import { isId, newId } from '#lib/platform/id.ts'

test('ids are UUIDs of version 7, and sort as they were made: many in a millisecond, and while the clock goes back', () => {
  vi.useFakeTimers()
  const ids: string[] = []
  for (const ms of [0, 1, 1, -5_000, 2]) {
    vi.setSystemTime(Date.now() + ms)
    ids.push(...Array.from({ length: 5_000 }, newId))
  }
  vi.useRealTimers()
  expect(ids.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toEqual(
    [],
  )
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

test('the time of an id is that of the clock', () => {
  const id = newId().replaceAll('-', '')
  expect(Math.abs(Number.parseInt(id.slice(0, 12), 16) - Date.now())).toBeLessThan(60_000)
})

test('what is not an id is recognised before Postgres has to', () => {
  expect(isId(newId())).toBe(true)
  for (const wrong of ['', 'x', '1', `${newId()}0`, `{${newId()}}`, newId().replaceAll('-', '')])
    expect(isId(wrong)).toBe(false)
})
