import type { ActionStatus } from '#lib/platform/generated/enums.ts'

export type { ActionStatus }

type Mover = 'worker' | 'person' | 'leaving'

type Arrow = { readonly by: readonly Mover[]; readonly sentence: string }

/**
 * The life of a scheduled action. The trigger in the database and the page of actions are checked against this table; what
 * is not in it cannot happen.
 */
export const ACTION_TRANSITIONS = {
  PENDING: {
    RUNNING: { by: ['worker'], sentence: 'It was due, and a worker claimed it.' },
    CANCELLED: { by: ['leaving', 'person'], sentence: 'What it was for has been left, or a person cancelled it.' },
  },
  RUNNING: {
    COMPLETED: { by: ['worker'], sentence: 'It was carried out.' },
    PENDING: {
      by: ['worker'],
      sentence: 'It failed and is tried again later, or its worker or broker lost it, or its time was moved.',
    },
    HELD: { by: ['worker'], sentence: 'Its campaign is paused, and the pause holds the clock.' },
    DEAD: { by: ['worker'], sentence: 'It failed for good.' },
    CANCELLED: { by: ['leaving', 'worker'], sentence: 'What it was for has been left.' },
  },
  HELD: {
    PENDING: { by: ['worker'], sentence: 'Its campaign was resumed; it waits for what was left of its time.' },
    CANCELLED: { by: ['leaving', 'person'], sentence: 'What it was for has been left, or a person cancelled it.' },
  },
  DEAD: {
    PENDING: { by: ['person'], sentence: 'A person asked for another try, with a fresh count of attempts.' },
    CANCELLED: {
      by: ['leaving', 'person'],
      sentence: 'A person wants nothing more of it, or what it was for has been left.',
    },
  },
  COMPLETED: {},
  CANCELLED: {},
} as const satisfies Record<ActionStatus, Partial<Record<ActionStatus, Arrow>>>

export const ACTION_STATES: Record<ActionStatus, { readonly name: string; readonly sentence: string }> = {
  PENDING: { name: 'Pending', sentence: 'Waits for its time.' },
  RUNNING: { name: 'Running', sentence: 'A worker is carrying it out.' },
  HELD: {
    name: 'Held',
    sentence: 'Its campaign is paused, and the pause holds the clock: it waits until that is resumed.',
  },
  COMPLETED: { name: 'Done', sentence: 'It was carried out.' },
  CANCELLED: { name: 'Cancelled', sentence: 'It will not be carried out; the reason is kept.' },
  DEAD: { name: 'Failed for good', sentence: 'It was not carried out, and nothing happens until a person decides.' },
}

export const ACTION_STATUSES = Object.keys(ACTION_STATES) as [ActionStatus, ...ActionStatus[]]

/** Not over: leaving what it was for cancels it. */
export const OPEN_ACTIONS = ['PENDING', 'RUNNING', 'HELD', 'DEAD'] as const satisfies readonly ActionStatus[]

export function mayActionBecome(from: ActionStatus, to: ActionStatus): boolean {
  return Object.hasOwn(ACTION_TRANSITIONS[from], to)
}

/** What a person may do with it now. */
export const ACTION_VERBS = {
  retry: { label: 'Try again', participle: 'tried again', from: ['DEAD'] },
  cancel: { label: 'Cancel', participle: 'cancelled', from: ['PENDING', 'HELD', 'DEAD'] },
} as const satisfies Record<string, { label: string; participle: string; from: readonly ActionStatus[] }>

export type ActionVerb = keyof typeof ACTION_VERBS

export const ACTION_VERB_NAMES = Object.keys(ACTION_VERBS) as [ActionVerb, ...ActionVerb[]]

export function actionVerbsFor(status: ActionStatus): ActionVerb[] {
  return ACTION_VERB_NAMES.filter((verb) => ACTION_VERBS[verb].from.some((from) => from === status))
}
