import { ACTION_STATES, type ActionStatus } from '#lib/actions/states.ts'
import type { StatusLook } from '../status-look.ts'

export const ACTION_STATUS_LOOK: Record<ActionStatus, StatusLook> = {
  PENDING: { tone: 'neutral', icon: 'waiting', word: ACTION_STATES.PENDING.name },
  RUNNING: { tone: 'accent', icon: 'sending', word: ACTION_STATES.RUNNING.name },
  HELD: { tone: 'warning', icon: 'paused', word: ACTION_STATES.HELD.name },
  COMPLETED: { tone: 'success', icon: 'done', word: ACTION_STATES.COMPLETED.name },
  CANCELLED: { tone: 'neutral', icon: 'cancelled', word: ACTION_STATES.CANCELLED.name },
  DEAD: { tone: 'danger', icon: 'failed', word: ACTION_STATES.DEAD.name },
}
