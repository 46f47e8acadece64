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
    SCHEDULED: { by: ['person'], sentence: 'Somebody launched it for a later time.' },
    RUNNING: { by: ['person'], sentence: 'Somebody launched it.' },
  },
  SCHEDULED: {
    RUNNING: { by: ['tick', 'person'], sentence: 'Its time came, or somebody launched it at once.' },
    PAUSED: { by: ['person'], sentence: 'Somebody paused it before it began.' },
    STOPPED: { by: ['person'], sentence: 'Somebody stopped it before it began.' },
  },
  RUNNING: {
    PAUSED: { by: ['person'], sentence: 'Somebody paused it; nothing that is not yet handed over goes out.' },
    SENT: { by: ['tick'], sentence: 'Its ledger balances, and nothing waits.' },
    STOPPED: { by: ['person'], sentence: 'Somebody stopped it; what waited is cancelled.' },
  },
  PAUSED: {
    RUNNING: { by: ['person'], sentence: 'Somebody resumed it.' },
    SCHEDULED: { by: ['person'], sentence: 'Somebody resumed it before its time.' },
    STOPPED: { by: ['person'], sentence: 'Somebody stopped it; what waited is cancelled.' },
  },
  SENT: {
    RUNNING: { by: ['person', 'tick'], sentence: 'Somebody enrolled prospects, appended a step or retried an email.' },
  },
  STOPPED: {},
} as const satisfies Record<CampaignStatus, Partial<Record<CampaignStatus, Arrow>>>

/** What a state is called, and what it means, in words for people. */
export const CAMPAIGN_STATES: Record<CampaignStatus, { readonly name: string; readonly sentence: string }> = {
  DRAFT: { name: 'a draft', sentence: 'It is being prepared; nothing is planned.' },
  SCHEDULED: { name: 'scheduled', sentence: 'It starts by itself at its time.' },
  RUNNING: { name: 'running', sentence: 'Its emails are planned and go out at their times.' },
  PAUSED: { name: 'paused', sentence: 'Nothing goes out until somebody resumes it.' },
  SENT: { name: 'sent', sentence: 'Nothing of it waits any more.' },
  STOPPED: { name: 'stopped', sentence: 'It was ended, and that is final.' },
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
