import type { Received } from '#lib/contract/over-the-wire.ts'

export type Doubt = Received<'GET /api/admin/held/groups'>['groups'][number]['doubt']

/** Of what waits after a restore: how likely it is that it was sent. */
export const DOUBT_WORDS: Record<Doubt, string> = {
  IN_BETWEEN: 'Likely sent: its time came in between.',
  BEFORE: 'Possibly sent: it was due before, and still waited.',
  HELD: 'Likely sent: it was with a worker.',
  NOT_PLANNED: 'Possibly sent: the person was due to move on, and what comes next is not planned yet.',
}

export const DOUBT_NAMES = Object.keys(DOUBT_WORDS) as Doubt[]
