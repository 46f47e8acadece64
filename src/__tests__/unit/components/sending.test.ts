import { describe, expect, test } from 'vitest'
import { weeksOf } from '#components/sending/calendar-month.ts'
import { delayInWords, delaysAsText, delaysIn } from '#components/sending/delays.ts'
import { effectInWords } from '#components/sending/save-bar.tsx'
import { minuteOf, weekInWords } from '#components/sending/week.ts'

describe('delays', () => {
  test.each([
    ['1m, 5m, 1h', [60, 300, 3600]],
    ['30s;2d 7', [30, 172_800, 420]],
    ['', []],
    ['1x', null],
    ['-5m', null],
    ['1.5h', null],
  ])('%j is read as %j', (text, seconds) => {
    expect(delaysIn(text)).toEqual(seconds)
  })

  test('are written so that reading them gives the same', () => {
    for (const seconds of [[60, 300, 900], [10], [5_400, 90_061, 86_400], []])
      expect(delaysIn(delaysAsText(seconds))).toEqual(seconds)
    expect(delaysAsText([60, 5_400, 86_400, 90_061])).toBe('1m, 90m, 1d, 90061s')
    expect(delayInWords(5_400)).toBe('1 h 30 m')
  })
})

describe('the week in words', () => {
  test.each([
    [[1, 2, 3, 4, 5], 540, 1020, 'Monday to Friday, 09:00 to 17:00'],
    [[1, 3, 4], 0, 1440, 'Monday, Wednesday, Thursday, 00:00 to 24:00'],
    [[7], 1320, 360, 'Sunday, 22:00 to 06:00 of the next day'],
    [[], 540, 1020, 'No day is chosen, so nothing is sent.'],
  ])('%j from %i to %i', (days, startMinute, endMinute, words) => {
    expect(weekInWords({ days, startMinute, endMinute })).toBe(words)
  })

  test('a time is read once it is one', () => {
    expect(['9:30', '09:30', '24:00', '24:01', '9:60', '9', 'nine'].map(minuteOf)).toEqual([
      ...[570, 570, 1440, null, null, null, null],
    ])
  })
})

test('a month stands in its weeks, from Monday', () => {
  const weeks = weeksOf('2026-02')
  expect(weeks[0]).toEqual([null, null, null, null, null, null, '2026-02-01'])
  expect(weeks.flat().filter(Boolean)).toHaveLength(28)
  expect(weeks.every((week) => week.length === 7)).toBe(true)
})

describe('what moves is told', () => {
  const effect = {
    ...{ emails: 1_300, moved: 1_204, isComplete: true, impossible: null },
    ...{ lastBefore: '2026-12-02T15:00:00Z', lastAfter: '2026-12-09T08:00:00Z' },
  }
  test.each([
    [{}, '1,204 emails move, the last from 2 Dec 2026 to 9 Dec 2026.'],
    [{ moved: 1 }, '1 email moves, the last from 2 Dec 2026 to 9 Dec 2026.'],
    [{ lastAfter: '2026-12-02T16:00:00Z' }, '1,204 emails move; the last stays on 2 Dec 2026.'],
    [{ moved: 0 }, 'No email moves.'],
    [{ emails: 0, moved: 0 }, 'Nothing waits, so no email moves.'],
    [{ isComplete: false, emails: 50_000 }, '1,204 emails of the first 50,000 move.'],
    [{ isComplete: false, emails: 9_000, moved: 9_000 }, 'All of the first 9,000 emails move.'],
    [{ impossible: 'No mailbox.' }, 'Everything that waits is put aside. No mailbox.'],
  ])('%j', (more, words) => {
    expect(effectInWords({ ...effect, ...more }, 'Europe/Berlin')).toBe(words)
  })
})
