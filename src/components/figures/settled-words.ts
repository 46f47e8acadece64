import type { Received } from '#lib/contract/over-the-wire.ts'

export type SettledWay = keyof Received<'GET /api/admin/promise'>['unknowns']['ways']

/** What became of an email whose outcome was unknown. */
export const SETTLED_WORDS: Record<SettledWay, string> = {
  open: 'still without evidence or a person’s word',
  evidence: 'settled by evidence from the provider',
  delivered: 'taken as delivered by a person',
  'sent-again': 'sent again by a person, who knew the risk',
  dismissed: 'dismissed by a person',
  otherwise: 'ended otherwise, as by an answer that came late',
}

export const SETTLED_WAY_NAMES = Object.keys(SETTLED_WORDS) as SettledWay[]
