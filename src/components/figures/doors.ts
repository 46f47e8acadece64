import { BEHIND_WORDS } from './behind-words.ts'
import { DOUBT_NAMES } from './doubt-words.ts'
import { SETTLED_WAY_NAMES } from './settled-words.ts'
import type { Behind } from './use-rows-behind.ts'

type Params = { get(name: string): string | null }

/** In the page's own address, so that a figure can be sent to a colleague opened. */
export const BEHIND_PARAMS = ['behind', 'from', 'until', 'date', 'campaign', 'mailbox', 'way', 'doubt'] as const

/** What opens the rows that a figure counted. */
export function doorTo(behind: Behind): Record<(typeof BEHIND_PARAMS)[number], string | null> {
  return {
    behind: behind.what,
    from: 'from' in behind ? behind.from : null,
    until: 'until' in behind ? behind.until : null,
    date: 'date' in behind ? behind.date : null,
    campaign: 'campaignId' in behind ? (behind.campaignId ?? null) : null,
    mailbox: 'mailboxId' in behind ? behind.mailboxId : null,
    way: 'way' in behind ? (behind.way ?? null) : null,
    doubt: 'doubt' in behind ? behind.doubt : null,
  }
}

/** Null where the address opens nothing, or nothing that makes sense. */
export function behindIn(params: Params): Behind | null {
  const what = params.get('behind') as Behind['what'] | null
  if (!what || !Object.hasOwn(BEHIND_WORDS, what)) return null
  const [campaignId, mailboxId, date] = [params.get('campaign'), params.get('mailbox'), params.get('date')]
  const [from, until] = [momentIn(params, 'from'), momentIn(params, 'until')]
  switch (what) {
    case 'open-failed':
    case 'open-unknown':
    case 'accepted':
    case 'accepted-again':
    case 'maybe-sent':
      return { what }
    case 'were-unknown': {
      const way = SETTLED_WAY_NAMES.find((name) => name === params.get('way'))
      return way ? { what, way } : { what }
    }
    case 'maybe-sent-of-group': {
      const doubt = DOUBT_NAMES.find((name) => name === params.get('doubt'))
      return mailboxId && doubt ? { what, mailboxId, doubt, ...(campaignId && { campaignId }) } : null
    }
    case 'blocked':
      return campaignId ? { what, campaignId } : null
    case 'sent-of-campaign':
      return campaignId && from && until ? { what, campaignId, from, until } : null
    case 'mailbox-used':
      return mailboxId && date ? { what, mailboxId, date } : null
    case 'mailbox-due':
      return mailboxId && until ? { what, mailboxId, until } : null
    default:
      return from && until ? { what, from, until } : null
  }
}

function momentIn(params: Params, name: string): string | null {
  const text = params.get(name)
  return text !== null && !Number.isNaN(Date.parse(text)) ? text : null
}
