import { lockOwners } from '#lib/email-scheduler/effects/owners.ts'
import type { CancelReason } from '#lib/email-scheduler/reasons.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'

/** Why a person's wish was not met, in words. A route answers 404 to the first and 409 to the others. */
export const REFUSALS = {
  'not-found': 'There is no such email.',
  'not-possible': 'The email is in a state that does not allow this.',
  'campaign-stopped': 'Its campaign was stopped, and stopping is final.',
  'prospect-left':
    'The recipient replied, bounced, unsubscribed or was erased. Where the address was wrong, correct it first.',
  'was-handed-over': 'It may have reached the recipient, so this cannot be taken back.',
  'predecessor-not-coming': 'A step before it failed or was cancelled; take that back first.',
  'address-changed':
    'It went to an address that is no longer the recipient’s, and may have arrived there. Assume that it was delivered, or dismiss it.',
  suppressed: 'The recipient’s address is on the suppression list, so nothing more goes there.',
  'too-early': 'The attempt may still be under way. Try again in a few minutes.',
  'never-open': 'The sending window never opens, so no time can be kept. Give it a day of the week.',
} as const

export type RefusalByState = keyof typeof REFUSALS

export type PersonAnswer = { id: string } & (
  | { answer: 'done'; status: ScheduledEmailStatus }
  | { answer: RefusalByState; status?: ScheduledEmailStatus }
)

export type OwnedEmail = {
  id: string
  status: ScheduledEmailStatus
  marked: boolean
  unwanted: CancelReason | undefined
}

/**
 * The workspace's own among these emails, with their campaigns and prospects locked against every verb that puts emails
 * back: what is read here about owners and other steps holds until the transaction ends.
 */
export async function lockOwned(tx: Sql, workspaceId: string, ids: readonly string[]): Promise<OwnedEmail[]> {
  const own = await tx.query<{ id: string }>(
    'SELECT id FROM scheduled_emails WHERE workspace_id = $1 AND id = ANY($2::uuid[])',
    [workspaceId, ids],
  )
  const ownIds = own.rows.map(({ id }) => id)
  const unwanted = await lockOwners(tx, ownIds, 'exclusive')
  const { rows } = await tx.query<{ id: string; status: ScheduledEmailStatus; marked: boolean }>(
    `SELECT id, status, marked_token IS NOT NULL AS marked FROM scheduled_emails
     WHERE workspace_id = $1 AND id = ANY($2::uuid[]) ORDER BY id FOR UPDATE`,
    [workspaceId, ownIds],
  )
  return rows.map((row) => ({ ...row, unwanted: unwanted.get(row.id) }))
}

/** Emails go back into the queue only where they are still wanted. */
export function refusalByOwner({ unwanted }: OwnedEmail): RefusalByState | undefined {
  if (unwanted === undefined) return undefined
  return unwanted === 'CAMPAIGN_STOPPED' ? 'campaign-stopped' : 'prospect-left'
}

/** One answer for each id that was asked for, in that order. */
export function answerEach(
  ids: readonly string[],
  owned: readonly OwnedEmail[],
  done: ReadonlyMap<string, ScheduledEmailStatus>,
  refusal: (email: OwnedEmail) => RefusalByState | undefined,
): PersonAnswer[] {
  const byId = new Map(owned.map((email) => [email.id, email]))
  return ids.map((id): PersonAnswer => {
    const status = done.get(id)
    if (status) return { id, answer: 'done', status }
    const email = byId.get(id)
    if (!email) return { id, answer: 'not-found' }
    return { id, answer: refusal(email) ?? 'not-possible', status: email.status }
  })
}
