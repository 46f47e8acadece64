import { suppressedProspects } from '#lib/audience/suppressed.ts'
import { type WhyNotNow, whyNotNow } from '#lib/guardrails/guards.ts'
import type { Sql } from '#lib/platform/database.ts'
import { calendarOf } from './calendar-of.ts'
import { guardFacts, readEmailFacts, readMailboxFacts } from './guard-facts.ts'
import { readQuotaUse } from './quota-use.ts'
import { readSendingSettings } from './sending-settings.ts'
import { isWaiting, type ScheduledEmailStatus } from './states.ts'

export type WhyNotNowAnswer =
  /** Everything that keeps it from leaving, and the first time at which it could. */
  | ({ kind: 'waiting'; plannedFor: Date; retryAt: Date | null } & WhyNotNow)
  /** It does not wait, so nothing holds it back: its state tells. */
  | { kind: 'not-waiting'; status: ScheduledEmailStatus }
  | { kind: 'not-found' }

/** Why a campaign email has not gone out yet: the same guards that will be asked when it is handed over. */
export async function explainWhyNotNow(sql: Sql, workspaceId: string, emailId: string): Promise<WhyNotNowAnswer> {
  const [email] = await readEmailFacts(sql, workspaceId, [emailId])
  const settings = await readSendingSettings(sql, workspaceId)
  const mailbox = email && (await readMailboxFacts(sql, email.mailboxId))
  if (!email || !mailbox || !settings) return { kind: 'not-found' }
  if (!isWaiting(email.status)) return { kind: 'not-waiting', status: email.status }
  const calendar = calendarOf(settings)
  const { now } = mailbox
  const used = await readQuotaUse(sql, mailbox, calendar, now)
  const suppressed = await suppressedProspects(sql, workspaceId, [email.prospectId])
  const facts = guardFacts(email, { now, calendar, mailbox, used, suppressed })
  return { kind: 'waiting', plannedFor: email.scheduledFor, retryAt: email.nextRetryAt, ...whyNotNow(facts) }
}
