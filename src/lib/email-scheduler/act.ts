import { PublicError } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { type AuditAction, recordAudit } from '#lib/tenancy/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { cancel } from './cancel.ts'
import { dismiss } from './dismiss.ts'
import { type PersonAnswer, REFUSALS, type RefusalByState } from './person-verb.ts'
import { reschedule } from './reschedule.ts'
import { assumeDelivered, sendAgain } from './resolve.ts'
import { restore } from './restore.ts'
import { retryFailed } from './retry.ts'
import { type ScheduledEmailStatus, STATES } from './states.ts'

/** What a person wants done with emails. */
export type Wish =
  | { action: 'retry' | 'delivered' | 'dismiss' | 'cancel' | 'restore' }
  /** Not before an attempt must have ended. */
  | { action: 'send_again'; attemptMsMax: number }
  | { action: 'reschedule'; at: Date }

export const WISHES = ['retry', 'delivered', 'send_again', 'dismiss', 'cancel', 'restore', 'reschedule'] as const

const AUDITED: Record<Wish['action'], AuditAction> = {
  retry: 'email.retried',
  delivered: 'email.taken-as-delivered',
  send_again: 'email.sent-again',
  dismiss: 'email.dismissed',
  cancel: 'email.cancelled',
  restore: 'email.restored',
  reschedule: 'email.rescheduled',
}

/** One verb for all of the emails, and one answer for each. */
export async function act(tx: Sql, workspaceId: string, ids: readonly string[], wish: Wish): Promise<PersonAnswer[]> {
  switch (wish.action) {
    case 'retry':
      return retryFailed(tx, workspaceId, ids)
    case 'delivered':
      return assumeDelivered(tx, workspaceId, ids)
    case 'send_again':
      return sendAgain(tx, workspaceId, ids, wish.attemptMsMax)
    case 'dismiss':
      return dismiss(tx, workspaceId, ids)
    case 'cancel':
      return cancel(tx, workspaceId, ids)
    case 'restore':
      return restore(tx, workspaceId, ids)
    case 'reschedule':
      await refusePast(tx, wish.at)
      return reschedule(tx, workspaceId, ids, wish.at)
  }
}

/** Clocks differ; a wrong year must not send at once. */
const PAST_MS_TOLERATED = 5 * 60_000
const AHEAD_MS_MAX = 366 * 24 * 60 * 60_000

async function refusePast(sql: Sql, at: Date): Promise<void> {
  const aheadMs = at.getTime() - (await appNow(sql)).getTime()
  if (aheadMs < -PAST_MS_TOLERATED)
    throw new PublicError(400, 'time-is-past', 'That time has passed. Choose one that is still to come.')
  if (aheadMs > AHEAD_MS_MAX)
    throw new PublicError(400, 'time-is-too-far', 'That is more than a year ahead. Choose a time before.')
}

/** For one email: done and in the audit log, or refused with a sentence. */
export async function actOnOne(tx: Sql, workspaceId: string, id: string, wish: Wish, actor: Actor): Promise<void> {
  const [answer] = await act(tx, workspaceId, [id], wish)
  if (answer?.answer !== 'done') throw refused(answer ?? { answer: 'not-found' })
  const details: Record<string, string> = wish.action === 'reschedule' ? { at: wish.at.toISOString() } : {}
  await recordAudit(tx, workspaceId, {
    action: AUDITED[wish.action],
    actor,
    target: { kind: 'email', id, name: await nameOf(tx, id) },
    details,
  })
}

/** In words, with the state where it is the state that refuses. */
export function refused({ answer, status }: { answer: RefusalByState; status?: ScheduledEmailStatus }): PublicError {
  const state = answer === 'not-possible' && status ? ` It is “${STATES[status].name}” now.` : ''
  return new PublicError(answer === 'not-found' ? 404 : 409, answer, `${REFUSALS[answer]}${state}`)
}

/** Without the recipient: the log outlives an erasure. */
export async function nameOf(sql: Sql, id: string): Promise<string> {
  const { rows } = await sql.query<{ name: string | null }>(
    `SELECT 'step ' || e.step_number || ' of ' || c.name AS name
     FROM scheduled_emails e LEFT JOIN campaigns c ON c.id = e.campaign_id WHERE e.id = $1`,
    [id],
  )
  return rows[0]?.name ?? 'a transactional email'
}
