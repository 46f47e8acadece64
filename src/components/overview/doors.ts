import { BEHIND_WORDS } from './behind-words.ts'
import type { Behind, Overview } from './use-overview.ts'

type Params = { get(name: string): string | null }

/** In the page's own address, so that a figure can be sent to a colleague opened. */
export const BEHIND_PARAMS = ['behind', 'from', 'until', 'campaign'] as const

/** What opens the rows that a figure counted. */
export function doorTo(behind: Behind): Record<(typeof BEHIND_PARAMS)[number], string | null> {
  return {
    behind: behind.what,
    from: 'from' in behind ? behind.from : null,
    until: 'until' in behind ? behind.until : null,
    campaign: 'campaignId' in behind ? behind.campaignId : null,
  }
}

/** Null where the address opens nothing, or nothing that makes sense. */
export function behindIn(params: Params): Behind | null {
  const [what, from, until, campaignId] = BEHIND_PARAMS.map((name) => params.get(name))
  if (!what || !Object.hasOwn(BEHIND_WORDS, what)) return null
  if (what === 'open-failed' || what === 'open-unknown') return { what }
  if (what === 'blocked') return campaignId ? { what, campaignId } : null
  return isMoment(from) && isMoment(until) ? ({ what, from, until } as Behind) : null
}

function isMoment(text: string | null | undefined): text is string {
  return typeof text === 'string' && !Number.isNaN(Date.parse(text))
}

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
    case 'nothing-to-send':
      return { href: `/campaigns/${id}?open=why`, label: 'Why?' }
    case 'domain-unproven':
      return { href: '/settings/domains', label: 'See the record' }
    default:
      return null
  }
}
