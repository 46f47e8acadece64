import { describe, expect, test } from 'vitest'
import {
  arrow,
  isFinal,
  isWaiting,
  mayBecome,
  type ScheduledEmailStatus,
  SENT_BY_EVIDENCE,
  STATES,
  STATUSES,
  TRANSITIONS,
} from '#lib/email-scheduler/states.ts'
import { BULK_VERBS, undoOf, VERB_NAMES, VERBS, verbsFor } from '#lib/email-scheduler/verbs.ts'
import { ScheduledEmailStatus as STATUS_ENUM } from '#lib/platform/generated/enums.ts'

/** The design's table, section 2, read once more by hand. */
const DESIGN: Record<ScheduledEmailStatus, ScheduledEmailStatus[]> = {
  SCHEDULED: ['SENDING', 'CANCELLED'],
  SENDING: ['SENT', 'FAILED', 'OUTCOME_UNKNOWN', 'SCHEDULED', 'RETRY_SCHEDULED', 'CANCELLED'],
  SENT: [],
  FAILED: ['RETRY_SCHEDULED', 'PERMANENTLY_FAILED', 'CANCELLED'],
  RETRY_SCHEDULED: ['SENDING', 'SENT', 'CANCELLED'],
  OUTCOME_UNKNOWN: ['SENT', 'RETRY_SCHEDULED', 'CANCELLED'],
  PERMANENTLY_FAILED: ['RETRY_SCHEDULED', 'SENT'],
  CANCELLED: ['SCHEDULED', 'SENT'],
}

test('the arrows are those of the design', () => {
  expect(
    Object.fromEntries(STATUSES.map((from) => [from, STATUSES.filter((to) => mayBecome(from, to)).sort()])),
  ).toEqual(Object.fromEntries(Object.entries(DESIGN).map(([from, to]) => [from, to.toSorted()])))
})

test('every state and every arrow has a sentence', () => {
  expect(STATUSES.toSorted()).toEqual(Object.values(STATUS_ENUM).toSorted())
  for (const status of STATUSES) {
    expect(STATES[status].sentence).toMatch(/^[A-Z].*\.$/)
    for (const { sentence, by } of Object.values(TRANSITIONS[status])) {
      expect(sentence).toMatch(/^[A-Z].*\.$/)
      expect(by.length).toBeGreaterThan(0)
    }
  }
})

test('only SENT is final, and every other state has a way to it: nothing is stuck', () => {
  expect(STATUSES.filter(isFinal)).toEqual(['SENT'])
  const reaches = (from: ScheduledEmailStatus, seen = new Set<ScheduledEmailStatus>()): boolean => {
    if (from === 'SENT') return true
    seen.add(from)
    return STATUSES.some((to) => mayBecome(from, to) && !seen.has(to) && reaches(to, seen))
  }
  for (const status of STATUSES) expect(reaches(status), status).toBe(true)
})

test('a person moves only what nobody holds, and only by arrows that are a person’s', () => {
  for (const { moves } of Object.values(VERBS))
    for (const [from, to] of moves) expect(arrow(from, to)?.by, `${from} → ${to}`).toContain('person')
  const covered = Object.values(VERBS).flatMap(({ moves }) => moves.map(([from, to]) => `${from} → ${to}`))
  const personal = STATUSES.flatMap((from) =>
    STATUSES.filter((to) => arrow(from, to)?.by.includes('person')).map((to) => `${from} → ${to}`),
  )
  expect(covered.toSorted()).toEqual(personal.toSorted())
})

test('only a worker enters and leaves SENDING', () => {
  for (const from of STATUSES)
    for (const to of STATUSES) {
      const found = arrow(from, to)
      if (found && (from === 'SENDING' || to === 'SENDING')) expect(found.by, `${from} → ${to}`).toEqual(['worker'])
    }
})

test('what late evidence takes to SENT is what the table says', () => {
  expect(STATUSES.filter((from) => arrow(from, 'SENT')?.by.includes('evidence')).toSorted()).toEqual(
    [...SENT_BY_EVIDENCE].toSorted(),
  )
})

describe('what a person may do', () => {
  test.each<[ScheduledEmailStatus, string[]]>([
    ['SCHEDULED', ['reschedule', 'cancel']],
    ['SENDING', []],
    ['SENT', []],
    ['FAILED', []],
    ['RETRY_SCHEDULED', ['reschedule', 'cancel']],
    ['OUTCOME_UNKNOWN', ['delivered', 'send_again', 'check', 'dismiss']],
    ['PERMANENTLY_FAILED', ['retry', 'dismiss', 'restore']],
    ['CANCELLED', ['restore']],
  ])('%s', (status, actions) => {
    expect(verbsFor(status)).toEqual(actions)
  })
})

test('what takes a verb back is a verb for many, and possible where the first one led', () => {
  for (const verb of VERB_NAMES)
    for (const { verb: undo, from } of undoOf(verb)) {
      expect(BULK_VERBS).toContain(undo)
      expect(verbsFor(from)).toContain(undo)
    }
})

test('two states wait', () => {
  expect(STATUSES.filter(isWaiting)).toEqual(['SCHEDULED', 'RETRY_SCHEDULED'])
})
