import type pg from 'pg'
import { inTransaction, type Sql, tryOut } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { act, type Wish } from './act.ts'
import { type OutboxFilter, outboxIds } from './list-outbox.ts'
import { type PersonAnswer, REFUSALS, type RefusalByState } from './person-verb.ts'
import type { ScheduledEmailStatus } from './states.ts'

export const BULK_MAX = 1_000

export type Selection = { ids: string[] } | { filter: OutboxFilter; cursor?: string | undefined }

export type BulkAnswer = {
  /** Whether it was only tried out. */
  preview: boolean
  done: number
  /** Why the others were not: how many for each reason, and some of their ids. */
  refused: { reason: RefusalByState; sentence: string; count: number; ids: string[] }[]
  /** What takes it back; empty where nothing does. */
  undo: { action: Undo; ids: string[] }[]
  /** Where a filter finds more than are done at once: the next call goes on here. */
  nextCursor: string | null
}

type Undo = Extract<Wish['action'], 'restore' | 'cancel' | 'dismiss'>

const IDS_SHOWN = 5

/**
 * One verb for up to a thousand emails, all in one transaction. A preview does the same and takes it back, so that what
 * it says is what would come of it now.
 */
export async function actOnMany(
  pool: pg.Pool,
  workspaceId: string,
  selection: Selection,
  wish: Wish,
  actor: Actor,
  preview: boolean,
): Promise<BulkAnswer> {
  const run = preview ? tryOut : inTransaction
  return run(pool, async (tx) => {
    const { ids, nextCursor } = await selected(tx, workspaceId, selection)
    const answers = await act(tx, workspaceId, ids, wish)
    const done = answers.filter(({ answer }) => answer === 'done')
    if (done.length > 0)
      await recordAudit(tx, workspaceId, {
        action: 'emails.changed',
        actor,
        target: { kind: 'emails', id: null, name: done.length === 1 ? '1 email' : `${done.length} emails` },
        details: { action: wish.action, refused: answers.length - done.length },
      })
    return { preview, done: done.length, refused: reasonsOf(answers), undo: undoOf(wish, answers), nextCursor }
  })
}

async function selected(sql: Sql, workspaceId: string, selection: Selection) {
  // Once each: an id that came twice would be answered twice.
  if ('ids' in selection) return { ids: [...new Set(selection.ids)], nextCursor: null }
  return outboxIds(sql, workspaceId, selection.filter, { cursor: selection.cursor, limit: BULK_MAX })
}

function reasonsOf(answers: readonly PersonAnswer[]): BulkAnswer['refused'] {
  const byReason = Map.groupBy(answers, ({ answer }) => answer)
  byReason.delete('done')
  return [...byReason].flatMap(([reason, those]) =>
    reason === 'done'
      ? []
      : [
          {
            reason,
            sentence: REFUSALS[reason],
            count: those.length,
            ids: those.slice(0, IDS_SHOWN).map(({ id }) => id),
          },
        ],
  )
}

/** A retry, a sending again and another time are not taken back: they may be under way by then. */
const UNDO: Record<Wish['action'], readonly { action: Undo; from: ScheduledEmailStatus }[]> = {
  cancel: [{ action: 'restore', from: 'CANCELLED' }],
  // An unknown one that was dismissed had been handed over, and stays as it is.
  dismiss: [{ action: 'restore', from: 'PERMANENTLY_FAILED' }],
  restore: [
    { action: 'cancel', from: 'SCHEDULED' },
    { action: 'dismiss', from: 'PERMANENTLY_FAILED' },
  ],
  retry: [],
  delivered: [],
  send_again: [],
  reschedule: [],
}

function undoOf({ action }: Wish, answers: readonly PersonAnswer[]): BulkAnswer['undo'] {
  return UNDO[action].flatMap(({ action, from }) => {
    const ids = answers.flatMap((one) => (one.answer === 'done' && one.status === from ? [one.id] : []))
    return ids.length > 0 ? [{ action, ids }] : []
  })
}
