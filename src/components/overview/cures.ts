import type { Overview } from './use-overview.ts'

type Cure = { href: string; label: string }

/** Where each of them is put right; null where no page does it and the sentence says what does. */
export function cureFor({ kind, id }: Overview['attention'][number], mayChange: boolean): Cure | null {
  switch (kind) {
    case 'promise-broken':
      return { href: `/admin/promise#${id}`, label: 'Look' }
    case 'sending-held':
      return { href: '/admin/held', label: 'Look' }
    case 'mailbox-stopped':
      return mayChange
        ? { href: `/mailboxes?do=reconnect&mailbox=${id}`, label: 'Reconnect' }
        : { href: '/mailboxes', label: 'Look' }
    case 'unknown':
      return { href: '/admin/email-queue?status=OUTCOME_UNKNOWN', label: mayChange ? 'Decide' : 'Look' }
    case 'failed':
      return { href: '/admin/email-queue?status=PERMANENTLY_FAILED', label: mayChange ? 'Decide' : 'Look' }
    // The page is for admins alone.
    case 'action-failed':
      return mayChange ? { href: '/admin/actions?part=decide', label: 'Decide' } : null
    case 'nothing-to-send':
      return { href: `/campaigns/${id}?open=why`, label: 'Why?' }
    case 'domain-unproven':
      return { href: '/settings/domains', label: 'See the record' }
    default:
      return null
  }
}
