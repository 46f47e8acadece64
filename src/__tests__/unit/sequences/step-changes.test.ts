import { expect, test } from 'vitest'
import { wordsOfChanges } from '#lib/sequences/step-changes.ts'

const step = { subject: 'Hello', bodyText: 'A word.', bodyHtml: '', delayDays: 0 }
const before = { name: 'Welcome', steps: [step, { ...step, delayDays: 3 }] }

test('what differs between two versions is said in words, and nothing where nothing does', () => {
  const after = {
    name: 'Greeting',
    steps: [{ ...step, subject: 'Good day' }, { ...step, bodyHtml: '<p>A word.</p>', delayDays: 5 }, step],
  }
  expect(wordsOfChanges(before, after)).toEqual([
    'the name',
    'the subject of step 1',
    'the text of step 2',
    'the wait before step 2',
    'step 3 is new',
  ])
  expect(wordsOfChanges(before, before)).toEqual([])
  expect(wordsOfChanges(after, { ...after, steps: after.steps.slice(0, 1) })).toEqual([
    'step 2 is gone',
    'step 3 is gone',
  ])
})

test('a wait before the first email waits for nothing', () => {
  expect(wordsOfChanges(before, { ...before, steps: [{ ...step, delayDays: 9 }, ...before.steps.slice(1)] })).toEqual(
    [],
  )
})
