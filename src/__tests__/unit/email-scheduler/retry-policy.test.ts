import { describe, expect, test } from 'vitest'
import {
  MAX_RETRY_ATTEMPTS,
  nextRetryAt,
  RETRY_BACKOFF_MINUTES,
  RETRY_DELAYS_MS,
  retryAtAfterProof,
  retryDelaysMs,
} from '#lib/email-scheduler/retry-policy.ts'

const now = new Date('2026-03-01T10:00:00Z')
const secondsAfter = (at: Date | undefined) => at && (at.getTime() - now.getTime()) / 1000

test('three retries after 1, 5 and 15 minutes, then it has failed for good', () => {
  expect(MAX_RETRY_ATTEMPTS).toBe(3)
  expect([...RETRY_BACKOFF_MINUTES]).toEqual([1, 5, 15])
  expect([1, 2, 3, 4].map((failures) => secondsAfter(nextRetryAt(RETRY_DELAYS_MS.standard, failures, now)))).toEqual([
    60,
    300,
    900,
    undefined,
  ])
})

test('transactional attempts come at 30, 90, 210, 450 and 930 seconds after the inline one', () => {
  let at = 0
  const times = RETRY_DELAYS_MS.transactional.map((delayMs) => {
    at += delayMs / 1000
    return at
  })
  expect(times).toEqual([30, 90, 210, 450, 930])
})

test('the patient policy goes up to a day', () => {
  expect(RETRY_DELAYS_MS.patient.map((delayMs) => delayMs / 60_000)).toEqual([1, 5, 15, 60, 180, 360, 720, 1440])
})

describe('which policy holds', () => {
  const settings = (retryPolicy: 'STANDARD' | 'PATIENT' | 'CUSTOM', retryDelaysSeconds: number[] = []) => ({
    retryPolicy,
    retryDelaysSeconds,
  })
  test.each([
    ['a campaign by default', retryDelaysMs('CAMPAIGN', undefined), RETRY_DELAYS_MS.standard],
    ['a patient workspace', retryDelaysMs('CAMPAIGN', settings('PATIENT')), RETRY_DELAYS_MS.patient],
    ['a list of its own', retryDelaysMs('CAMPAIGN', settings('CUSTOM', [10, 20])), [10_000, 20_000]],
    ['a transactional email', retryDelaysMs('TRANSACTIONAL', settings('PATIENT')), RETRY_DELAYS_MS.transactional],
  ])('%s', (_name, actual, expected) => {
    expect(actual).toEqual(expected)
  })

  test('an empty list of its own means no retry', () => {
    expect(nextRetryAt(retryDelaysMs('CAMPAIGN', settings('CUSTOM')), 1, now)).toBeUndefined()
  })
})

describe('a provider that asks for patience', () => {
  test('gets it where it asks for more than the policy gives', () => {
    expect(secondsAfter(nextRetryAt(RETRY_DELAYS_MS.standard, 1, now, new Date(now.getTime() + 600_000)))).toBe(600)
  })
  test('is not asked sooner than the policy says', () => {
    expect(secondsAfter(nextRetryAt(RETRY_DELAYS_MS.standard, 2, now, new Date(now.getTime() + 10_000)))).toBe(300)
  })
  test('does not get more retries', () => {
    expect(nextRetryAt(RETRY_DELAYS_MS.standard, 4, now, new Date(now.getTime() + 600_000))).toBeUndefined()
  })
})

test('what is proven unsent after its retries were used up is tried once more', () => {
  expect(secondsAfter(retryAtAfterProof(RETRY_DELAYS_MS.standard, 2, now))).toBe(300)
  expect(secondsAfter(retryAtAfterProof(RETRY_DELAYS_MS.standard, 9, now))).toBe(900)
  expect(secondsAfter(retryAtAfterProof([], 1, now))).toBe(60)
})
