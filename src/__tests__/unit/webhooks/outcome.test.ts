import { describe, expect, test } from 'vitest'
import { RETRY_DELAYS_SECONDS } from '#lib/webhooks/limits.ts'
import { outcomeOf } from '#lib/webhooks/outcome.ts'

const NOW = new Date('2026-11-20T09:00:00Z')
const answered = (status: number, retryAfter?: string) => ({
  ...{ kind: 'answered' as const, status, body: '', retryAfter },
})

describe('an attempt', () => {
  test.each([200, 201, 202, 204, 299])('that is answered %i has delivered', (status) => {
    expect(outcomeOf(answered(status), 0, NOW)).toEqual({ kind: 'delivered' })
  })

  test.each([100, 199, 301, 302, 307, 308, 400, 401, 404, 409, 429, 500, 503])(
    'that is answered %i is repeated',
    (status) => {
      expect(outcomeOf(answered(status), 0, NOW)).toMatchObject({ kind: 'retry', afterSeconds: 5 })
    },
  )

  test('that is answered 410 is the last of its endpoint', () => {
    expect(outcomeOf(answered(410), 0, NOW)).toMatchObject({ kind: 'gone' })
  })

  test('that is repeated waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 14 h, and then has failed', () => {
    const hour = 3_600
    expect(RETRY_DELAYS_SECONDS).toEqual([5, 300, 1_800, 2 * hour, 5 * hour, 10 * hour, 14 * hour])
    const none = { kind: 'none' as const, problem: 'No answer.' }
    const outcomes = Array.from({ length: 8 }, (_, attempts) => outcomeOf(none, attempts, NOW))
    expect(outcomes.map((outcome) => (outcome.kind === 'retry' ? outcome.afterSeconds : outcome.kind))).toEqual([
      ...RETRY_DELAYS_SECONDS,
      'failed',
    ])
  })
})

describe('Retry-After', () => {
  const held = (status: number, retryAfter: string, attempts = 0) =>
    outcomeOf(answered(status, retryAfter), attempts, NOW)

  test('is kept to where it asks for more than the schedule, as seconds and as a date', () => {
    expect(held(503, '120')).toMatchObject({ afterSeconds: 120, holdSeconds: 120 })
    expect(held(503, 'Fri, 20 Nov 2026 09:10:00 GMT')).toMatchObject({ afterSeconds: 600, holdSeconds: 600 })
    expect(held(503, '2')).toMatchObject({ afterSeconds: 5 })
    expect(held(503, '60', 2)).toMatchObject({ afterSeconds: 1_800 })
  })

  test('holds the whole endpoint where the receiver is loaded, and one delivery where it dislikes that one', () => {
    expect(held(429, '30')).toMatchObject({ holdSeconds: 30 })
    expect(held(500, '30')).toMatchObject({ afterSeconds: 30, holdSeconds: 0 })
  })

  test('can hold nothing for ever, and means nothing where it cannot be read', () => {
    expect(held(503, '999999999')).toMatchObject({ afterSeconds: 50_400, holdSeconds: 3_600 })
    for (const text of ['soon', '-5', '', '1e9', 'Fri, 20 Nov 2020 09:10:00 GMT'])
      expect(held(503, text)).toMatchObject({ afterSeconds: 5, holdSeconds: 0 })
  })
})
