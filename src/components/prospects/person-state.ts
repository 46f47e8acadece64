import type { StatusLook } from '../status-look.ts'

/** What of a person says whether they may get email. */
export interface PersonMarks {
  pausedAt: string | null
  repliedAt: string | null
  bouncedAt: string | null
  unsubscribedAt: string | null
  archivedAt: string | null
  erasedAt: string | null
  suppressedBy: 'ADDRESS' | 'DOMAIN' | null
}

const LOOK = {
  active: { tone: 'success', icon: 'done', word: 'Active' },
  paused: { tone: 'warning', icon: 'paused', word: 'Paused' },
  replied: { tone: 'info', icon: 'done', word: 'Replied' },
  bounced: { tone: 'danger', icon: 'failed', word: 'Bounced' },
  unsubscribed: { tone: 'neutral', icon: 'stopped', word: 'Unsubscribed' },
  suppressed: { tone: 'neutral', icon: 'cancelled', word: 'Suppressed' },
  archived: { tone: 'neutral', icon: 'archived', word: 'Archived' },
  erased: { tone: 'neutral', icon: 'cancelled', word: 'Erased' },
} as const satisfies Record<string, StatusLook>

/** The state that weighs most: what nobody here can change comes before what anybody can. */
export function lookOfPerson(person: PersonMarks): StatusLook {
  if (person.erasedAt) return LOOK.erased
  if (person.archivedAt) return LOOK.archived
  if (person.unsubscribedAt) return LOOK.unsubscribed
  if (person.bouncedAt) return LOOK.bounced
  if (person.suppressedBy) return LOOK.suppressed
  if (person.repliedAt) return LOOK.replied
  return person.pausedAt ? LOOK.paused : LOOK.active
}

type Named = { email: string | null; firstName: string | null; lastName: string | null }

/** By name, else by address; who was erased has neither. */
export function nameOfPerson({ email, firstName, lastName }: Named): string {
  return [firstName, lastName].filter(Boolean).join(' ') || email || 'An erased person'
}
