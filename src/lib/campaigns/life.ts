import type { CampaignStatus } from '#lib/platform/generated/enums.ts'

/** Who may take an arrow: a person, or the tick when its time has come. */
export type CampaignMover = 'person' | 'tick'

type Arrow = { readonly by: readonly CampaignMover[]; readonly sentence: string }

/**
 * The life of a campaign. The trigger in the database and the verbs of this folder are checked against this table; what
 * is not in it cannot happen.
 */
export const CAMPAIGN_TRANSITIONS = {
  DRAFT: {
    SCHEDULED: { by: ['person'], sentence: 'A person launched it for a later time.' },
    RUNNING: { by: ['person'], sentence: 'A person launched it.' },
  },
  SCHEDULED: {
    RUNNING: { by: ['tick', 'person'], sentence: 'Its time came, or a person launched it at once.' },
    PAUSED: { by: ['person'], sentence: 'A person paused it before it began.' },
    STOPPED: { by: ['person'], sentence: 'A person stopped it before it began.' },
  },
  RUNNING: {
    PAUSED: { by: ['person'], sentence: 'A person paused it; nothing that is not yet handed over goes out.' },
    SENT: { by: ['tick'], sentence: 'Its ledger balances, and nothing waits.' },
    STOPPED: { by: ['person'], sentence: 'A person stopped it; what waited is cancelled.' },
  },
  PAUSED: {
    RUNNING: { by: ['person'], sentence: 'A person resumed it.' },
    SCHEDULED: { by: ['person'], sentence: 'A person resumed it before its time.' },
    STOPPED: { by: ['person'], sentence: 'A person stopped it; what waited is cancelled.' },
  },
  SENT: {
    RUNNING: { by: ['person', 'tick'], sentence: 'A person enrolled prospects, appended a step or retried an email.' },
  },
  STOPPED: {},
} as const satisfies Record<CampaignStatus, Partial<Record<CampaignStatus, Arrow>>>

/** What a state is called, and what it means, in words for people. */
export const CAMPAIGN_STATES: Record<CampaignStatus, { readonly name: string; readonly sentence: string }> = {
  DRAFT: { name: 'Draft', sentence: 'It is being prepared; nothing is planned.' },
  SCHEDULED: { name: 'Scheduled', sentence: 'It starts by itself at its time.' },
  RUNNING: { name: 'Running', sentence: 'Its emails are planned and go out at their times.' },
  PAUSED: { name: 'Paused', sentence: 'Nothing goes out until a person resumes it.' },
  SENT: { name: 'Sent', sentence: 'Nothing of it waits any more.' },
  STOPPED: { name: 'Stopped', sentence: 'It was ended, and that is final.' },
}

export const CAMPAIGN_STATUSES = Object.keys(CAMPAIGN_STATES) as [CampaignStatus, ...CampaignStatus[]]

/** May be taken from the lists: nothing of it moves any more by itself. */
export const ARCHIVABLE: readonly CampaignStatus[] = ['DRAFT', 'SENT', 'STOPPED']

export function mayCampaignBecome(from: CampaignStatus, to: CampaignStatus): boolean {
  return Object.hasOwn(CAMPAIGN_TRANSITIONS[from], to)
}

/** The states from which an arrow leads here: what a guarded statement asks for. */
export function statesBefore(to: CampaignStatus): CampaignStatus[] {
  return CAMPAIGN_STATUSES.filter((from) => mayCampaignBecome(from, to))
}
