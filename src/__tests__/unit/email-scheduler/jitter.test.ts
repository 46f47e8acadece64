import { expect, test } from 'vitest'
import { jitterSeconds, RANDOM_DELAY_RANGE } from '#lib/email-scheduler/plan/jitter.ts'

const { min, max } = RANDOM_DELAY_RANGE
const keys = Array.from(
  { length: 61_000 },
  (_, index) => `prospect-${Math.floor(index / 3)}:sequence:${(index % 3) + 1}`,
)

test('the usual pause is 30 to 90 seconds', () => {
  expect(RANDOM_DELAY_RANGE).toEqual({ min: 30, max: 90 })
})

test('the same key always gives the same pause: these stand in databases', () => {
  expect(['a:b:1', 'a:b:2', 'a:b:3'].map((key) => jitterSeconds(key, min, max))).toMatchInlineSnapshot(`
    [
      75,
      40,
      59,
    ]
  `)
})

test('every second of the range comes up, both ends included, and about equally often', () => {
  const counts = new Map<number, number>()
  for (const key of keys) {
    const seconds = jitterSeconds(key, min, max)
    counts.set(seconds, (counts.get(seconds) ?? 0) + 1)
  }
  expect([...counts.keys()].sort((one, other) => one - other)).toEqual(
    Array.from({ length: max - min + 1 }, (_, index) => min + index),
  )
  // 61 values, 1,000 expected of each: the 0.999 quantile of chi-square with 60 degrees of freedom is 99.6.
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
  expect(chiSquare).toBeLessThan(99.6)
})

test('neighbouring steps of one prospect do not move together', () => {
  const same = keys.filter(
    (key, index) => index % 3 > 0 && jitterSeconds(key, min, max) === jitterSeconds(keys[index - 1] ?? '', min, max),
  )
  expect(same.length / ((keys.length * 2) / 3)).toBeCloseTo(1 / 61, 2)
})

test('a range of one value, or of none, is that value', () => {
  expect(jitterSeconds('a:b:1', 0, 0)).toBe(0)
  expect(jitterSeconds('a:b:1', 45, 45)).toBe(45)
})
