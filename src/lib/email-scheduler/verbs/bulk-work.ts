import type { OutboxFilter } from '#lib/email-scheduler/queue/outbox-source.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import type { VerbCall } from './verb-call.ts'

/** Which emails a bulk is for, as it is kept: everything that is needed to go on with it later, by whichever worker. */
export type BulkSelection =
  | { kind: 'ids'; ids: string[] }
  | { kind: 'filter'; filter: Omit<OutboxFilter, 'search'>; exceptIds: string[] }
  /** What another one has done, and brought to where it can be taken back from. */
  | { kind: 'done-by'; bulkId: string; from: ScheduledEmailStatus }

/** Of a wish, what outlives a process: an instant is text in JSON. */
export type KeptWish =
  | Exclude<VerbCall, { action: 'reschedule' | 'send_again' }>
  | { action: 'send_again'; attemptMsMax: number }
  | { action: 'reschedule'; at: string }

export type BulkRow = {
  id: string
  workspaceId: string
  actor: Actor
  wish: KeptWish
  selection: BulkSelection
  total: number | null
  cursor: string | null
  lookedAt: number
  done: number
  undoesId: string | null
  createdAt: Date
  stoppedAt: Date | null
  finishedAt: Date | null
  failure: string | null
  /** From then on, what was done with each email is not known any more: only how many were left out, by the reason. */
  forgottenAt: Date | null
  refused: Record<string, number> | null
}

export const BULK_COLUMNS = `b.id, b.workspace_id AS "workspaceId", b.actor, b.wish, b.selection, b.total, b.cursor, b.looked_at AS "lookedAt",
  b.done, b.undoes_id AS "undoesId", b.created_at AS "createdAt", b.stopped_at AS "stoppedAt", b.finished_at AS "finishedAt", b.failure,
  b.forgotten_at AS "forgottenAt", b.refused`

export const keptWish = (wish: VerbCall): KeptWish =>
  wish.action === 'reschedule' ? { action: wish.action, at: wish.at.toISOString() } : wish

export const wishOfKept = (kept: KeptWish): VerbCall =>
  kept.action === 'reschedule' ? { action: kept.action, at: new Date(kept.at) } : kept

/** The id right after it: what is not newer than an email lies before that. */
export function idAfter(id: string): string {
  const hex = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0').slice(-32)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
