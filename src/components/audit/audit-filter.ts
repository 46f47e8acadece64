import { isKnown } from './audit-words.ts'
import { endOfDay, startOfDay } from './day-bounds.ts'

export interface AuditFilter {
  actorId?: string
  action?: string
  from?: string
  to?: string
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What the address asks for, as the API takes it: days of the workspace become instants, and nonsense is left out. */
export function readAuditFilter(params: URLSearchParams, timeZone: string): AuditFilter {
  const actor = params.get('actor')
  const action = params.get('action')
  return {
    actorId: actor && UUID.test(actor) ? actor : undefined,
    action: action && isKnown(action) ? action : undefined,
    from: startOfDay(params.get('from') ?? '', timeZone),
    to: endOfDay(params.get('to') ?? '', timeZone),
  }
}

export function readCursor(params: URLSearchParams): string | undefined {
  const cursor = params.get('cursor')
  return cursor && /^\d{1,18}$/.test(cursor) ? cursor : undefined
}
