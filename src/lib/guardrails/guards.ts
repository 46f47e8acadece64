import { wordsOfInstant } from '#lib/platform/time/zoned-words.ts'
import { SendingCalendar } from './calendar.ts'
import { limitOfMailbox } from './quota.ts'
import type { SendingSettings } from './settings.ts'

/** Everything that decides whether one email may leave now. Gathered under lock at the mark, or read for an answer. */
export interface GuardFacts {
  now: Date
  settings: SendingSettings
  campaign: { status: 'DRAFT' | 'SCHEDULED' | 'RUNNING' | 'PAUSED' | 'SENT' | 'STOPPED' }
  prospect: {
    isPaused: boolean
    hasReplied: boolean
    hasBounced: boolean
    hasUnsubscribed: boolean
    isArchived: boolean
  }
  /** As another prospect that was merged into them. */
  hadStepBefore: boolean
  suppression: { address: string; isAddressSuppressed: boolean; isDomainSuppressed: boolean }
  /** Merge fields of this step that have neither a value nor a fallback. */
  missingMergeFields: readonly string[]
  /** The step before, or null for the first. `isOver` is a state that no retry leaves: failed for good or cancelled. */
  previousStep: { stepNumber: number; sentAt: Date | null; isOver: boolean; delayOverAt: Date | null } | null
  mailbox: {
    address: string
    status: 'CONNECTED' | 'STOPPED' | 'ARCHIVED'
    stoppedReason: string | null
    deferredUntil: Date | null
    /** Why it pauses until then, in words. */
    pauseReason: string | null
    nextAllowedAt: Date | null
    dailyLimit: number
    sentToday: number
    /** Distinct local dates before today on which it sent. */
    sentDatesBefore: number
    rollingLimit: number
    sentInLast24Hours: number
    /** When enough of those are 24 hours old; null where the limit is not reached. */
    rollingLimitFreeAt: Date | null
  }
  /** Emails that the workspace sent or reserved on today's local date. */
  workspaceSentToday: number
}

/** `wait-until` lifts by itself; `park` waits for a person or an event; `cancel` will never be lifted. */
export type GuardResult =
  | { ok: true }
  | { ok: false; verdict: 'wait-until'; sentence: string; notBefore: Date }
  | { ok: false; verdict: 'park' | 'cancel'; sentence: string }

export type GuardName =
  | 'campaign-running'
  | 'prospect-active'
  | 'not-had-before'
  | 'not-suppressed'
  | 'merge-fields-complete'
  | 'previous-step-sent'
  | 'mailbox-connected'
  | 'mailbox-not-deferred'
  | 'sending-window'
  | 'workspace-quota'
  | 'mailbox-limit'
  | 'rolling-24h'
  | 'spacing'

/** No window counts for what no campaign sends. */
type EmailKind = 'CAMPAIGN' | 'TRANSACTIONAL'

export interface Guard {
  readonly name: GuardName
  check(facts: GuardFacts, kind: EmailKind): GuardResult
}

const OK: GuardResult = { ok: true }
const park = (sentence: string): GuardResult => ({ ok: false, verdict: 'park', sentence })
const cancel = (sentence: string): GuardResult => ({ ok: false, verdict: 'cancel', sentence })
const waitUntil = (notBefore: Date, sentence: string): GuardResult => ({
  ok: false,
  verdict: 'wait-until',
  sentence,
  notBefore,
})

const campaignRunning: Guard = {
  name: 'campaign-running',
  check({ campaign }) {
    switch (campaign.status) {
      case 'RUNNING':
        return OK
      case 'STOPPED':
        return cancel('The campaign was stopped.')
      case 'PAUSED':
        return park('The campaign is paused; it goes on when someone resumes it.')
      case 'DRAFT':
        return park('The campaign has not been launched yet.')
      case 'SCHEDULED':
        return park('The campaign has not started yet.')
      case 'SENT':
        return park('The campaign has finished; retrying an email sets it running again.')
    }
  },
}

const prospectActive: Guard = {
  name: 'prospect-active',
  check({ prospect }) {
    if (prospect.hasUnsubscribed) return cancel('The person has unsubscribed.')
    if (prospect.hasReplied) return cancel('The person has replied.')
    if (prospect.hasBounced) return cancel('An earlier email to the person bounced.')
    if (prospect.isArchived) return cancel('The person was archived.')
    if (prospect.isPaused) return park('The person is paused; the sequence goes on when someone resumes it.')
    return OK
  },
}

const notHadBefore: Guard = {
  name: 'not-had-before',
  check({ hadStepBefore }) {
    return hadStepBefore ? cancel('The person had this step under another address that was merged into this one.') : OK
  },
}

const notSuppressed: Guard = {
  name: 'not-suppressed',
  check({ suppression: { address, isAddressSuppressed, isDomainSuppressed } }) {
    if (isAddressSuppressed) return cancel(`${address} is on the suppression list.`)
    const domain = address.slice(address.lastIndexOf('@') + 1)
    return isDomainSuppressed ? cancel(`The domain ${domain} is on the suppression list.`) : OK
  },
}

const mergeFieldsComplete: Guard = {
  name: 'merge-fields-complete',
  check({ missingMergeFields: missing }) {
    if (missing.length === 0) return OK
    const them = missing.length === 1 ? 'a value or a fallback for it' : 'values or fallbacks for them'
    return park(`The person has no ${inWords(missing)}; fill in ${them}.`)
  },
}

const previousStepSent: Guard = {
  name: 'previous-step-sent',
  check({ now, settings, previousStep }) {
    if (previousStep === null) return OK
    const { stepNumber, sentAt, isOver, delayOverAt } = previousStep
    if (sentAt === null) {
      return isOver
        ? cancel(`Step ${stepNumber} will not be sent, so nothing follows it.`)
        : park(`Step ${stepNumber} has not been sent yet.`)
    }
    if (delayOverAt === null || delayOverAt <= now) return OK
    return waitUntil(delayOverAt, `The delay after step ${stepNumber} ends ${inLocalTime(settings, delayOverAt, now)}.`)
  },
}

type MailboxState = Pick<GuardFacts, 'now' | 'settings'> & {
  mailbox: Pick<GuardFacts['mailbox'], 'address' | 'status' | 'stoppedReason' | 'deferredUntil' | 'pauseReason'>
}

const mailboxConnected = {
  name: 'mailbox-connected',
  check({ mailbox: { address, status, stoppedReason } }: MailboxState): GuardResult {
    switch (status) {
      case 'CONNECTED':
        return OK
      case 'STOPPED':
        return park(
          `The mailbox ${address} has stopped; reconnect it.${stoppedReason === null ? '' : ` ${stoppedReason}`}`,
        )
      case 'ARCHIVED':
        return park(`The mailbox ${address} was archived; add it again to go on.`)
    }
  },
} as const satisfies Guard

const mailboxNotDeferred = {
  name: 'mailbox-not-deferred',
  check({ now, settings, mailbox: { address, deferredUntil, pauseReason } }: MailboxState): GuardResult {
    if (deferredUntil === null || deferredUntil <= now) return OK
    const until = inLocalTime(settings, deferredUntil, now)
    const why = pauseReason ?? 'Its provider asked for it.'
    return waitUntil(deferredUntil, `The mailbox ${address} pauses; it goes on ${until}. ${why}`)
  },
} as const satisfies Guard

const sendingWindow: Guard = {
  name: 'sending-window',
  check({ now, settings }) {
    const calendar = new SendingCalendar(settings)
    if (calendar.isOpenAt(now.getTime())) return OK
    const openMs = calendar.nextOpenMs(now.getTime())
    if (openMs === null) return park('The sending window has no day of the week, so it never opens.')
    const opens = new Date(openMs)
    return waitUntil(opens, `The sending window is closed; it opens ${inLocalTime(settings, opens, now)}.`)
  },
}

const workspaceQuota: Guard = {
  name: 'workspace-quota',
  check({ now, settings, workspaceSentToday }) {
    if (workspaceSentToday < settings.dailyQuota) return OK
    return untilTomorrow(settings, now, 'CAMPAIGN', `Today’s quota of ${emails(settings.dailyQuota)} is used up`)
  },
}

const mailboxLimit: Guard = {
  name: 'mailbox-limit',
  check({ now, settings, mailbox }, kind) {
    const limit = limitOfMailbox(settings, mailbox, mailbox.sentDatesBefore)
    if (mailbox.sentToday < limit) return OK
    if (mailbox.dailyLimit < 1) return park(`The mailbox ${mailbox.address} has a daily limit of 0.`)
    const what =
      limit < mailbox.dailyLimit
        ? `${mailbox.address} is warming up and has sent today’s ${emails(limit)}`
        : `${mailbox.address} has sent its ${emails(mailbox.dailyLimit)} for today`
    return untilTomorrow(settings, now, kind, what)
  },
}

const rolling24Hours: Guard = {
  name: 'rolling-24h',
  check({ now, settings, mailbox: { address, rollingLimit, sentInLast24Hours, rollingLimitFreeAt } }) {
    if (sentInLast24Hours < rollingLimit) return OK
    const what = `${address} has sent ${emails(sentInLast24Hours)} in the last 24 hours, its limit`
    if (rollingLimitFreeAt === null) return park(`${what}.`)
    return waitUntil(rollingLimitFreeAt, `${what}; it may go on ${inLocalTime(settings, rollingLimitFreeAt, now)}.`)
  },
}

const spacing: Guard = {
  name: 'spacing',
  check({ now, mailbox: { address, nextAllowedAt } }) {
    if (nextAllowedAt === null || nextAllowedAt <= now) return OK
    const seconds = Math.ceil((nextAllowedAt.getTime() - now.getTime()) / 1000)
    const pause = seconds === 1 ? '1 second' : `${seconds} seconds`
    return waitUntil(nextAllowedAt, `${address} has just sent an email; the next may follow in ${pause}.`)
  },
}

/** Why nothing leaves a mailbox at the moment, or null where it is well. */
export function mailboxTrouble(state: MailboxState): string | null {
  for (const guard of [mailboxConnected, mailboxNotDeferred]) {
    const result = guard.check(state)
    if (!result.ok) return result.sentence
  }
  return null
}

/** In the order in which a person wants to hear of them: what never lifts, what someone must do, what passes by itself. */
export const GUARDS: readonly Guard[] = [
  campaignRunning,
  prospectActive,
  notHadBefore,
  notSuppressed,
  mergeFieldsComplete,
  previousStepSent,
  mailboxConnected,
  mailboxNotDeferred,
  sendingWindow,
  workspaceQuota,
  mailboxLimit,
  rolling24Hours,
  spacing,
]

/** What each guard says. */
export type Receipt = ({ name: GuardName } & GuardResult)[]

/** Those that fit what no campaign sends: it goes at once and to the person it is about, but to no address that is known to bounce. */
const OF_TRANSACTIONAL: ReadonlySet<GuardName> = new Set([
  'not-suppressed',
  'mailbox-connected',
  'mailbox-not-deferred',
  'mailbox-limit',
  'rolling-24h',
])

export function checkGuards(facts: GuardFacts, kind: EmailKind = 'CAMPAIGN'): Receipt {
  return GUARDS.filter(({ name }) => kind === 'CAMPAIGN' || OF_TRANSACTIONAL.has(name)).map((guard) => ({
    name: guard.name,
    ...guard.check(facts, kind),
  }))
}

/** What each guard said, as it is kept with the attempt: "ok", or its sentence. */
export function writtenReceipt(receipt: Receipt): Record<string, string> {
  return Object.fromEntries(receipt.map((result) => [result.name, result.ok ? 'ok' : result.sentence]))
}

export type Refusal = Exclude<GuardResult, { ok: true }>

export type Blocker = { name: GuardName } & Refusal

function untilTomorrow(settings: SendingSettings, now: Date, kind: EmailKind, what: string): GuardResult {
  const calendar = new SendingCalendar(settings)
  const midnightMs = calendar.startMs(calendar.dayAt(now.getTime()) + 1)
  const openMs = kind === 'TRANSACTIONAL' ? midnightMs : calendar.nextOpenMs(midnightMs)
  if (openMs === null) return park(`${what}, and the sending window never opens.`)
  const opens = new Date(openMs)
  return waitUntil(opens, `${what}; sending goes on ${inLocalTime(settings, opens, now)}.`)
}

/** "Monday, 23 Nov at 09:00 (Europe/Berlin)", in the zone that counts then; the year where it is not this one. */
export function inLocalTime(settings: SendingSettings, at: Date, now: Date): string {
  const { nextTimeZone, nextTimeZoneAt } = settings
  const zone =
    nextTimeZone !== null && nextTimeZoneAt !== null && nextTimeZoneAt <= at ? nextTimeZone : settings.timeZone
  const year = wordsOfInstant(at, zone, 'yyyy') === wordsOfInstant(now, zone, 'yyyy') ? '' : ' yyyy'
  return `${wordsOfInstant(at, zone, `EEEE, d MMM${year} at HH:mm`)} (${zone})`
}

export function emails(count: number): string {
  return count === 1 ? '1 email' : `${count} emails`
}

function inWords(names: readonly string[]): string {
  if (names.length < 2) return names.join('')
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}
