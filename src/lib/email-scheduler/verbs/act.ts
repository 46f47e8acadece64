import { type EmailDeed, readDeeds } from '#lib/email-scheduler/read/email-deeds.ts'
import { type ScheduledEmailStatus, STATES } from '#lib/email-scheduler/states.ts'
import { hasLedThere, VERBS } from '#lib/email-scheduler/verbs.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { cancel } from './cancel.ts'
import { dismiss } from './dismiss.ts'
import { type PersonAnswer, REFUSALS, type RefusalByState } from './person-verb.ts'
import { reschedule } from './reschedule.ts'
import { assumeDelivered, sendAgain } from './resolve.ts'
import { restore } from './restore.ts'
import { retryFailed } from './retry.ts'
import type { VerbCall } from './verb-call.ts'

/** One verb for all of the emails, and one answer for each. */
export async function act(
  tx: Sql,
  workspaceId: string,
  ids: readonly string[],
  wish: VerbCall,
): Promise<PersonAnswer[]> {
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

/** For one email: done and in the audit log, or refused with a sentence. Pressed again, it leaves the email as it is. */
export async function actOnOne(tx: Sql, workspaceId: string, id: string, wish: VerbCall, actor: Actor): Promise<void> {
  const [answer] = await act(tx, workspaceId, [id], wish)
  if (answer?.answer !== 'done') {
    if (answer?.answer === 'not-possible' && hasLedThere(wish.action, await standingOf(tx, id))) return
    const [last] = answer?.answer === 'not-possible' ? await readDeeds(tx, workspaceId, id) : []
    throw refused(answer ?? { answer: 'not-found' }, last)
  }
  const details: Record<string, string> = wish.action === 'reschedule' ? { at: wish.at.toISOString() } : {}
  await recordAudit(tx, workspaceId, {
    action: VERBS[wish.action].audited,
    actor,
    target: { kind: 'email', id, name: await nameOf(tx, id) },
    details,
  })
}

/** Locked by the verb that has just refused. */
async function standingOf(tx: Sql, id: string): Promise<{ status: ScheduledEmailStatus; isDismissed: boolean }> {
  const { rows } = await tx.query<{ status: ScheduledEmailStatus; isDismissed: boolean }>(
    `SELECT status, dismissed_at IS NOT NULL AS "isDismissed" FROM scheduled_emails WHERE id = $1`,
    [id],
  )
  if (!rows[0]) throw refused({ answer: 'not-found' })
  return rows[0]
}

/** In words, with the state where it is the state that refuses, and who brought it there. */
export function refused(
  { answer, status }: { answer: RefusalByState; status?: ScheduledEmailStatus },
  last?: EmailDeed,
): PublicError {
  const by = last ? `: ${last.byEmail} ${last.words}` : ''
  const state = answer === 'not-possible' && status ? ` It is “${STATES[status].name}” now${by}.` : ''
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
