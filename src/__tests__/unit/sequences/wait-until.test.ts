import { expect, test } from 'vitest'
import { waitUntil } from '#lib/sequences/graph/wait-until.ts'

const at = (text: string) => new Date(text)

test.each<[string, Parameters<typeof waitUntil>[0], string, string, string]>([
  [
    'days are of 24 hours, over a change of the clocks as well',
    { kind: 'days', days: 1 },
    '2026-10-24T12:00:00Z',
    'Europe/Berlin',
    '2026-10-25T12:00:00Z',
  ],
  [
    'a time of the day is the next by the clock of the workspace',
    { kind: 'time-of-day', time: '09:30' },
    '2026-11-20T08:00:00Z',
    'Europe/Berlin',
    '2026-11-20T08:30:00Z',
  ],
  [
    'and tomorrow, once it is that time',
    { kind: 'time-of-day', time: '09:30' },
    '2026-11-20T08:30:00Z',
    'Europe/Berlin',
    '2026-11-21T08:30:00Z',
  ],
  [
    'in a gap of the clocks it is the end of the gap',
    { kind: 'time-of-day', time: '02:30' },
    '2026-03-29T00:00:00Z',
    'Europe/Berlin',
    '2026-03-29T01:00:00Z',
  ],
  [
    'in an hour that comes twice it is the first',
    { kind: 'time-of-day', time: '02:30' },
    '2026-10-24T22:00:00Z',
    'Europe/Berlin',
    '2026-10-25T00:30:00Z',
  ],
  [
    'a moment that has passed is now',
    { kind: 'until', at: '2026-01-01T00:00:00Z' },
    '2026-11-20T08:00:00Z',
    'UTC',
    '2026-11-20T08:00:00Z',
  ],
  [
    'a moment to come is that',
    { kind: 'until', at: '2026-12-01T09:00:00+01:00' },
    '2026-11-20T08:00:00Z',
    'UTC',
    '2026-12-01T08:00:00Z',
  ],
])('%s', (_, wait, from, zone, until) => {
  expect(waitUntil(wait, at(from), zone)).toEqual(at(until))
})
