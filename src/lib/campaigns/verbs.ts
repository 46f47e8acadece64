import type { CampaignStatus } from '#lib/platform/generated/enums.ts'
import { ARCHIVABLE, CAMPAIGN_STATUSES, statesBefore } from './life.ts'

type VerbEntry = {
  /** On the button. */
  label: string
  /** What comes of it, for the button's description and the API's reference. */
  sentence: string
  /** Completes "so it cannot be …". */
  participle: string
  /** The states in which it does something. */
  from: readonly CampaignStatus[]
  /** The states that it leads to: pressed again there, it changes nothing and answers the campaign as it is. */
  to: readonly CampaignStatus[]
  /** Whether it is for what is archived, and for nothing else; all others refuse what is. */
  isForArchived?: true
  /** How it is asked for: a method and a path below /api/campaigns/:id. */
  request: { method: 'POST' | 'PATCH' | 'DELETE'; path: string }
  /** How the audit log calls it, and how a person reads it there; absent where each change is not kept. */
  audited?: { action: `campaign.${string}`; words: string }
}

/**
 * What a person may do with a campaign, by the names that the API gives. What is allowed now, the sentences of refusals
 * and the words of the audit log are made from this table.
 */
export const CAMPAIGN_VERBS = {
  edit: {
    label: 'Edit',
    sentence:
      'Renames a campaign, or changes the size of its batches or the mailboxes of new people; a draft may also change its sequence and its start. endsAt sets when it stops by itself, and pauseHoldsClock whether its next pause stops the clock of those who wait at a branch.',
    participle: 'changed',
    from: CAMPAIGN_STATUSES,
    to: [],
    request: { method: 'PATCH', path: '' },
    audited: { action: 'campaign.changed', words: 'changed the settings of the campaign' },
  },
  enrol: {
    label: 'Add people',
    sentence:
      'Enrols prospects: by id, all of some lists, all that match a filter, or all. Where nextCursor comes back, call again with it. Everybody asked for is counted once; blocked are among the enrolled.',
    participle: 'joined',
    from: CAMPAIGN_STATUSES.filter((status) => status !== 'STOPPED'),
    to: [],
    request: { method: 'POST', path: '/prospects' },
  },
  launch: {
    label: 'Launch',
    sentence:
      'Launches at a time, or at the one that was set before; where there is none, or for null, now. Plans as much as fits into the request; ticks plan the rest.',
    participle: 'launched',
    from: ['DRAFT', 'SCHEDULED'],
    // Only with the same time: another one is another wish.
    to: ['SCHEDULED', 'RUNNING'],
    request: { method: 'POST', path: '/launch' },
    audited: { action: 'campaign.launched', words: 'launched the campaign' },
  },
  schedule: {
    label: 'Plan now',
    sentence: 'Plans the next part of a running campaign now, without waiting for the tick. Twice plans nothing twice.',
    participle: 'planned',
    from: ['RUNNING'],
    to: [],
    request: { method: 'POST', path: '/schedule' },
  },
  pause: {
    label: 'Pause',
    sentence: 'Pauses a campaign: nothing that is not yet handed over goes out until it is resumed.',
    participle: 'paused',
    from: statesBefore('PAUSED'),
    to: ['PAUSED'],
    request: { method: 'POST', path: '/pause' },
    audited: { action: 'campaign.paused', words: 'paused the campaign' },
  },
  resume: {
    label: 'Resume',
    sentence: 'Resumes a paused campaign.',
    participle: 'resumed',
    from: ['PAUSED'],
    to: ['SCHEDULED', 'RUNNING'],
    request: { method: 'POST', path: '/resume' },
    audited: { action: 'campaign.resumed', words: 'resumed the campaign' },
  },
  stop: {
    label: 'Stop',
    sentence: 'Stops a campaign for good and cancels what waits; where isCleared is false, ticks cancel the rest.',
    participle: 'stopped',
    from: statesBefore('STOPPED'),
    to: ['STOPPED'],
    request: { method: 'POST', path: '/stop' },
    audited: { action: 'campaign.stopped', words: 'stopped the campaign' },
  },
  duplicate: {
    label: 'Duplicate',
    sentence:
      'Makes a draft of its own on the same sequence. Its people are not taken along: each step of a sequence is for each of them once.',
    participle: 'duplicated',
    from: CAMPAIGN_STATUSES,
    to: [],
    request: { method: 'POST', path: '/duplicate' },
    audited: { action: 'campaign.duplicated', words: 'duplicated the campaign' },
  },
  archive: {
    label: 'Archive',
    sentence: 'Archives a campaign that is a draft, sent or stopped; nothing of it is deleted.',
    participle: 'archived',
    from: ARCHIVABLE,
    to: [],
    request: { method: 'DELETE', path: '' },
    audited: { action: 'campaign.archived', words: 'archived the campaign' },
  },
  restore: {
    label: 'Restore',
    sentence: 'Brings a campaign back from the archive, in the state that it was in.',
    participle: 'restored',
    from: ARCHIVABLE,
    to: [],
    isForArchived: true,
    request: { method: 'POST', path: '/restore' },
    audited: { action: 'campaign.restored', words: 'restored the campaign' },
  },
} as const satisfies Record<string, VerbEntry>

type Table = typeof CAMPAIGN_VERBS

export type CampaignVerb = keyof Table
/** Those that the audit log keeps. */
export type AuditedCampaignVerb = {
  [V in CampaignVerb]: Table[V] extends { audited: object } ? V : never
}[CampaignVerb]

export const CAMPAIGN_VERB_NAMES = Object.keys(CAMPAIGN_VERBS) as [CampaignVerb, ...CampaignVerb[]]

type Standing = { status: CampaignStatus; archivedAt: Date | null }

/** What may be done with it now. A launch may still be refused for what is missing. */
export function actionsFor(campaign: Standing): CampaignVerb[] {
  return CAMPAIGN_VERB_NAMES.filter((verb) => isPossible(verb, campaign))
}

export function isPossible(verb: CampaignVerb, { status, archivedAt }: Standing): boolean {
  const { from, isForArchived }: VerbEntry = CAMPAIGN_VERBS[verb]
  return from.includes(status) && (isForArchived === true) === (archivedAt !== null)
}

/** Whether it is where the verb leads. */
export function isDoneAlready(verb: CampaignVerb, { status, archivedAt }: Standing): boolean {
  if (verb === 'archive') return archivedAt !== null
  if (verb === 'restore') return archivedAt === null
  const { to }: VerbEntry = CAMPAIGN_VERBS[verb]
  return archivedAt === null && to.includes(status)
}
