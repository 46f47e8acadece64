import type { Sent } from '#lib/contract/over-the-wire.ts'
import { isKnown } from './audit-words.ts'

export type AuditFilter = NonNullable<Sent<'POST /api/audit/export'>['body']>

const PAGE_SIZE = 50
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What the address asks for, as the API takes it: days of the workspace become instants, and nonsense is left out. */
export async function readAuditFilter(params: URLSearchParams, timeZone: string): Promise<AuditFilter> {
  const actor = params.get('actor')
  const action = params.get('action')
  return {
    actorId: actor && UUID.test(actor) ? actor : undefined,
    action: action && isKnown(action) ? action : undefined,
    ...(await readDays(params, timeZone)),
  }
}

/** The page of the log that the address asks for. */
export async function auditQueryIn(params: URLSearchParams, timeZone: string) {
  return { ...(await readAuditFilter(params, timeZone)), cursor: readCursor(params), limit: PAGE_SIZE }
}

/** By which that page is kept: days are days of the workspace's zone. */
export const auditKeyOf = (params: URLSearchParams, timeZone: string) => `${params} ${timeZone}`

/** The reckoning with zones is as large as a page, and is fetched only where a filter names days. */
async function readDays(params: URLSearchParams, timeZone: string): Promise<Pick<AuditFilter, 'from' | 'to'>> {
  const [from, to] = [params.get('from'), params.get('to')]
  if (!from && !to) return {}
  const { endOfDay, startOfDay } = await import('./day-bounds.ts')
  return { from: startOfDay(from ?? '', timeZone), to: endOfDay(to ?? '', timeZone) }
}

function readCursor(params: URLSearchParams): string | undefined {
  const cursor = params.get('cursor')
  return cursor && /^\d{1,18}$/.test(cursor) ? cursor : undefined
}
