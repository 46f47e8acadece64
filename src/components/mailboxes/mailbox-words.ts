import type { SmtpSecurity } from '#lib/mail/smtp/smtp-server.ts'
import { formatInstant } from '../date-time-format.ts'
import { MAILBOX_STATUS_LOOK, type StatusLook } from '../status-look.ts'
import type { Mailbox } from './use-mailboxes.ts'

/** A pause that is over by itself is no stop. */
export function lookOf({ status, deferredUntil }: Mailbox, timeZone: string, now: Date): StatusLook {
  if (status !== 'CONNECTED' || deferredUntil === null) return MAILBOX_STATUS_LOOK[status]
  const until = new Date(deferredUntil)
  const isToday = formatInstant(until, timeZone, 'date') === formatInstant(now, timeZone, 'date')
  const word = `Pausing until ${formatInstant(until, timeZone, isToday ? 'time' : 'date-time')}`
  return { tone: 'warning', icon: 'paused', word }
}

export const LIMIT_WORD: Record<Mailbox['today']['limitedBy'], string> = {
  'mailbox-limit': 'the mailbox’s daily limit',
  'ramp-up': 'ramp-up',
  'rolling-24h': 'the limit over 24 hours',
}

export const SECURITY_OPTIONS: readonly { value: SmtpSecurity; label: string }[] = [
  { value: 'STARTTLS', label: 'STARTTLS (usual on port 587)' },
  { value: 'TLS', label: 'TLS from the start (usual on port 465)' },
  { value: 'NONE', label: 'None (only inside your own network)' },
]

export const count = (number: number) => number.toLocaleString('en')

/** Why a person comes back from Google without a permission. Anybody can write the address, so only a code is repeated. */
export function wordsOfReturn(refusal: string | null): string {
  if (refusal === null) return 'There is nothing to connect here. Begin at the mailboxes.'
  if (refusal === 'access_denied')
    return 'You did not agree at Google, so nothing was connected. You can begin again whenever you like.'
  const code = /^[a-z_]{1,40}$/.test(refusal) ? ` (${refusal})` : ''
  return `Google refused${code}, so nothing was connected. In a Google Workspace, an administrator may have to allow it first; then begin again.`
}
