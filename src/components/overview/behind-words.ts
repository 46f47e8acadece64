import type { Behind } from './use-overview.ts'

/** What a figure counts, and one and many of it. */
export const BEHIND_WORDS: Record<Behind['what'], { title: string; one: string; many: string }> = {
  sent: { title: 'Sent', one: 'email', many: 'emails' },
  planned: { title: 'Planned', one: 'email', many: 'emails' },
  failed: { title: 'Failed for good', one: 'email', many: 'emails' },
  bounced: { title: 'Bounced', one: 'person', many: 'people' },
  replied: { title: 'Replied', one: 'person', many: 'people' },
  unsubscribed: { title: 'Unsubscribed', one: 'person', many: 'people' },
  'open-failed': { title: 'Failed for good', one: 'email', many: 'emails' },
  'open-unknown': { title: 'Outcome unknown', one: 'email', many: 'emails' },
  blocked: { title: 'Blocked for a missing field', one: 'person', many: 'people' },
}

/** Figures of what waits are counted up to a limit, and say so there. */
export function figure(count: number, countedMax = Number.POSITIVE_INFINITY): string {
  return `${count.toLocaleString('en')}${count >= countedMax ? ' or more' : ''}`
}

export function figureOf(count: number, { one, many }: { one: string; many: string }): string {
  return `${figure(count)} ${count === 1 ? one : many}`
}
