import { expect, test } from 'vitest'
import { onceForEach } from '#lib/sequences/once-for-each.ts'

test('a text is read once for each version of it, and long ones do not stay for ever', () => {
  const read: string[] = []
  const once = onceForEach((text) => {
    read.push(text.slice(0, 3))
    return { length: text.length }
  })
  const long = (start: string) => start + 'x'.repeat(300_000)
  for (const text of ['a', 'b', 'a', long('c'), long('c'), long('d'), long('c')])
    expect(once(text).length).toBe(text.length)
  expect(read).toEqual(['a', 'b', 'cxx', 'dxx'])
  for (let index = 0; index < 100; index += 1) once(long(`${index}`))
  once(long('c'))
  expect(read.filter((start) => start === 'cxx')).toHaveLength(2)
})
