import { EVENT_NAMES } from '#lib/webhooks/event-types.ts'
import type { Webhook } from './use-webhooks.ts'

/** What tells one from another at a glance; the path may be long, and hold a token. */
export function hostOf({ url }: Pick<Webhook, 'url'>): string {
  return URL.parse(url)?.host ?? url
}

export function eventsWords({ events }: Pick<Webhook, 'events'>): string {
  if (events.length === EVENT_NAMES.length) return `All ${EVENT_NAMES.length}`
  const [first = ''] = events
  return events.length === 1 ? first : `${events.length} of ${EVENT_NAMES.length}`
}

const COUNTED_MAX = 1_000

export function countWords(count: number): string {
  return count > COUNTED_MAX ? `more than ${COUNTED_MAX.toLocaleString('en')}` : count.toLocaleString('en')
}
