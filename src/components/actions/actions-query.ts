import { ACTION_TYPE_NAMES, type ActionType } from '#lib/actions/action-types.ts'
import type { ActionStatus } from '#lib/actions/states.ts'

/** What each tab asks for. */
export const ACTION_TABS = {
  all: { label: 'All', status: null },
  decide: { label: 'Needs a decision', status: 'DEAD' },
  pending: { label: 'Pending', status: 'PENDING' },
  held: { label: 'Held', status: 'HELD' },
  done: { label: 'Done', status: 'COMPLETED' },
  cancelled: { label: 'Cancelled', status: 'CANCELLED' },
} as const satisfies Record<string, { label: string; status: ActionStatus | null }>

export type ActionTab = keyof typeof ACTION_TABS

export const ACTION_TAB_NAMES = Object.keys(ACTION_TABS) as [ActionTab, ...ActionTab[]]

export type ActionsQuery = { status?: ActionStatus; type?: ActionType; overdue?: 'true'; cursor?: string }

export const actionTabIn = (params: Pick<URLSearchParams, 'get'>): ActionTab =>
  ACTION_TAB_NAMES.find((tab) => tab === params.get('part')) ?? 'all'

/** What the address asks for. */
export function actionsQueryIn(params: Pick<URLSearchParams, 'get'>): ActionsQuery {
  const { status } = ACTION_TABS[actionTabIn(params)]
  const type = ACTION_TYPE_NAMES.find((one) => one === params.get('type'))
  const cursor = params.get('cursor')
  return {
    ...(status && { status }),
    ...(type && { type }),
    ...(params.get('overdue') === 'true' && { overdue: 'true' as const }),
    ...(cursor && { cursor }),
  }
}
