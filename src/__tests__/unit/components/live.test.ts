import { expect, test } from 'vitest'
import { every } from '#components/live/live.ts'

test('what was read is asked for as often as said, also while the server is away; what never was, seldom', () => {
  const askedAgain = (data: unknown, errorUpdateCount: number) => every(1_000)({ state: { data, errorUpdateCount } })
  expect(askedAgain(undefined, 0)).toBe(1_000)
  expect(askedAgain({ rows: [] }, 0)).toBe(1_000)
  expect(askedAgain({ rows: [] }, 7)).toBe(1_000)
  // Each time it is asked for, its error gives way to "loading".
  expect(askedAgain(undefined, 1)).toBe(30_000)
})
