/** A shortcut: keys pressed one after another, as `['g', 'm']` or `['?']`. */
export type KeySequence = readonly string[]

export interface KeyPress {
  key: string
  hasModifier: boolean
  isTyping: boolean
  isRepeat: boolean
  atMs: number
}

export interface PendingKeys {
  keys: readonly string[]
  atMs: number
}

export interface KeyVerdict<Action> {
  /** To be handed in again with the next press. */
  pending: PendingKeys | null
  action: Action | null
}

/** Longer than this between two keys, and the second one stands for itself. */
export const SEQUENCE_GAP_MS = 1_000

/**
 * What a press means, given what was pressed before it. Text going into a field, keys with Ctrl, Alt or Cmd, and keys
 * held down never count: those belong to the person and to the browser.
 */
export function pressKey<Action>(
  shortcuts: readonly { keys: KeySequence; action: Action }[],
  pending: PendingKeys | null,
  press: KeyPress,
): KeyVerdict<Action> {
  if (press.isTyping || press.hasModifier) return { pending: null, action: null }
  if (press.isRepeat) return { pending, action: null }

  const before = pending && press.atMs - pending.atMs <= SEQUENCE_GAP_MS ? pending.keys : []
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key

  // A key that does not continue what was begun may begin something of its own.
  for (const keys of before.length > 0 ? [[...before, key], [key]] : [[key]]) {
    const exact = shortcuts.find((shortcut) => isSame(shortcut.keys, keys))
    if (exact) return { pending: null, action: exact.action }
    if (shortcuts.some((shortcut) => isBeginning(keys, shortcut.keys))) {
      return { pending: { keys, atMs: press.atMs }, action: null }
    }
  }
  return { pending: null, action: null }
}

const TYPING_TAGS = new Set(['INPUT', 'TEXTAREA', 'SELECT'])

/** Whether keys go into the element as text, or choose in it. */
export function isTypingTarget(
  target: { tagName: string; isContentEditable: boolean; type?: unknown } | null,
): boolean {
  if (target === null) return false
  const isTicked = target.tagName === 'INPUT' && (target.type === 'checkbox' || target.type === 'radio')
  return (TYPING_TAGS.has(target.tagName) && !isTicked) || target.isContentEditable
}

function isSame(a: KeySequence, b: KeySequence): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index])
}

function isBeginning(start: KeySequence, whole: KeySequence): boolean {
  return start.length < whole.length && start.every((key, index) => key === whole[index])
}
