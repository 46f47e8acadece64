import { expect, test } from 'vitest'
import {
  isTypingTarget,
  type KeyPress,
  type PendingKeys,
  pressKey,
  SEQUENCE_GAP_MS,
} from '#components/shell/key-sequences.ts'

const SHORTCUTS = [
  { keys: ['?'], action: 'help' },
  { keys: ['g', 'c'], action: 'campaigns' },
  { keys: ['g', 'g'], action: 'top' },
  { keys: ['x', 'y', 'z'], action: 'three' },
]

function press(key: string, extra: Partial<KeyPress> = {}): KeyPress {
  return { key, hasModifier: false, isTyping: false, isRepeat: false, atMs: 0, ...extra }
}

/** Presses one after another, 100 ms apart unless told otherwise, and answers what they did. */
function run(presses: KeyPress[]): string[] {
  const actions: string[] = []
  let pending: PendingKeys | null = null
  presses.forEach((each, index) => {
    const verdict = pressKey(SHORTCUTS, pending, { ...each, atMs: each.atMs || index * 100 })
    pending = verdict.pending
    if (verdict.action !== null) actions.push(verdict.action)
  })
  return actions
}

test('a single key acts at once', () => {
  expect(run([press('?')])).toEqual(['help'])
})

test('two and three keys after another act once, at the last', () => {
  expect(run([press('g'), press('c')])).toEqual(['campaigns'])
  expect(run([press('x'), press('y'), press('z')])).toEqual(['three'])
  expect(run([press('g'), press('g')])).toEqual(['top'])
})

test('caps lock makes no difference', () => {
  expect(run([press('G'), press('C')])).toEqual(['campaigns'])
})

test('a second key that comes too late stands for itself', () => {
  expect(run([press('g', { atMs: 1 }), press('c', { atMs: 1 + SEQUENCE_GAP_MS })])).toEqual(['campaigns'])
  expect(run([press('g', { atMs: 1 }), press('c', { atMs: 2 + SEQUENCE_GAP_MS })])).toEqual([])
})

test('a wrong key ends what was begun, and may begin something itself', () => {
  expect(run([press('g'), press('q'), press('c')])).toEqual([])
  expect(run([press('x'), press('g'), press('c')])).toEqual(['campaigns'])
  expect(run([press('g'), press('?')])).toEqual(['help'])
})

test('what is typed into a field is text, and ends what was begun', () => {
  expect(run([press('?', { isTyping: true })])).toEqual([])
  expect(run([press('g'), press('c', { isTyping: true }), press('c')])).toEqual([])
})

test('keys with Ctrl, Alt or Cmd belong to the browser', () => {
  expect(run([press('g'), press('c', { hasModifier: true })])).toEqual([])
})

test('a key held down neither acts again nor breaks what was begun', () => {
  expect(run([press('?', { isRepeat: true })])).toEqual([])
  expect(run([press('g'), press('g', { isRepeat: true }), press('c')])).toEqual(['campaigns'])
})

test.each([
  ['INPUT', false, true],
  ['TEXTAREA', false, true],
  ['SELECT', false, true],
  ['DIV', true, true],
  ['DIV', false, false],
  ['BUTTON', false, false],
])('a %s (editable: %s) takes text: %s', (tagName, isContentEditable, expected) => {
  expect(isTypingTarget({ tagName, isContentEditable })).toBe(expected)
})

test('no element takes no text', () => {
  expect(isTypingTarget(null)).toBe(false)
})
