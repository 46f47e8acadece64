import type pg from 'pg'
import { outboxIds } from '#lib/email-scheduler/queue/list-outbox.ts'
import type { OutboxFilter } from '#lib/email-scheduler/queue/outbox-source.ts'
import { type UndoVerb, undoOf } from '#lib/email-scheduler/verbs.ts'
import { inTransaction, type Sql, tryOut } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { act } from './act.ts'
import { type PersonAnswer, REFUSALS, type RefusalByState } from './person-verb.ts'
import { BULK_MAX, type VerbCall } from './verb-call.ts'

export type Selection =
  | { ids: string[] }
  | { filter: OutboxFilter; exceptIds: readonly string[]; cursor?: string | undefined }

export type BulkAnswer = {
  /** Whether it was only tried out. */
  preview: boolean
  done: number
  /** Why the others were not: how many for each reason, and some of their ids. */
  refused: { reason: RefusalByState; sentence: string; count: number; ids: string[] }[]
  /** What takes it back; empty where nothing does. */
  undo: { action: UndoVerb; ids: string[] }[]
  /** Where a filter finds more than are done at once: the next call goes on here. */
  nextCursor: string | null
}

const IDS_SHOWN = 5

/**
 * One verb for up to a thousand emails, all in one transaction. A preview does the same and takes it back, so that what
 * it says is what would come of it now. `alongWith` is done in the same transaction.
 */
export async function actOnMany(
  pool: pg.Pool,
  workspaceId: string,
  selection: Selection,
  wish: VerbCall,
  actor: Actor,
  preview: boolean,
  alongWith: (tx: Sql, answer: BulkAnswer) => Promise<void> = async () => undefined,
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
    const undo = await undoesOf(tx, workspaceId, wish, answers)
    const answer = { preview, done: done.length, refused: reasonsOf(answers), undo, nextCursor }
    await alongWith(tx, answer)
    return answer
  })
}

async function selected(sql: Sql, workspaceId: string, selection: Selection) {
  // Once each: an id that came twice would be answered twice.
  if ('ids' in selection) return { ids: [...new Set(selection.ids)], nextCursor: null }
  const { filter, exceptIds, cursor } = selection
  const page = await outboxIds(sql, workspaceId, filter, { cursor, limit: BULK_MAX })
  return { ...page, ids: page.ids.filter((id) => !exceptIds.includes(id)) }
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

/** Each is tried out and taken back at once, so that what is offered is what the undo will take: not what was handed over. */
async function undoesOf(
  tx: Sql,
  workspaceId: string,
  { action }: VerbCall,
  answers: readonly PersonAnswer[],
): Promise<BulkAnswer['undo']> {
  const offered: BulkAnswer['undo'] = []
  for (const { verb, from } of undoOf(action)) {
    const candidates = answers.flatMap((one) => (one.answer === 'done' && one.status === from ? [one.id] : []))
    if (candidates.length === 0) continue
    await tx.query('SAVEPOINT undo')
    const undone = await act(tx, workspaceId, candidates, { action: verb })
    await tx.query('ROLLBACK TO SAVEPOINT undo')
    const ids = undone.filter(({ answer }) => answer === 'done').map(({ id }) => id)
    if (ids.length > 0) offered.push({ action: verb, ids })
  }
  return offered
}
