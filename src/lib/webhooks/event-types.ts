/** What an event is about; of one subject, events are delivered in the order in which they happened. */
export type EventSubject = 'email' | 'prospect' | 'notice' | 'campaign' | 'test'

type EventType = { readonly subject: EventSubject; readonly sentence: string }

/**
 * What endpoints can be told. The database writes events by these names (the triggers of the migration), and a test holds
 * both together; the page, the reference and the docs show these sentences.
 */
export const EVENT_TYPES = {
  'email.sent': { subject: 'email', sentence: 'A provider accepted an email.' },
  'email.retrying': { subject: 'email', sentence: 'An email was not sent and will be tried again.' },
  'email.failed': { subject: 'email', sentence: 'An email failed for good; a person may retry it.' },
  'email.unknown': {
    subject: 'email',
    sentence: 'An email was handed over and no answer came: it may have been sent.',
  },
  'email.cancelled': { subject: 'email', sentence: 'An email was cancelled before it was sent.' },
  'email.restored': { subject: 'email', sentence: 'The cancellation of an email was taken back; it waits again.' },
  'prospect.bounced': { subject: 'prospect', sentence: 'Email to a person bounced; nothing more is sent there.' },
  'prospect.replied': { subject: 'prospect', sentence: 'A person replied; nothing more of the sequence is sent.' },
  'prospect.unsubscribed': { subject: 'prospect', sentence: 'A person unsubscribed.' },
  'prospect.notice': {
    subject: 'notice',
    sentence: 'A sequence came to a node that notifies: its note, and the member who is told by mail.',
  },
  'campaign.scheduled': { subject: 'campaign', sentence: 'A campaign was launched for a later time.' },
  'campaign.launched': { subject: 'campaign', sentence: 'A campaign began to run.' },
  'campaign.paused': { subject: 'campaign', sentence: 'A campaign was paused.' },
  'campaign.resumed': { subject: 'campaign', sentence: 'A paused campaign was resumed.' },
  'campaign.stopped': { subject: 'campaign', sentence: 'A campaign was stopped for good.' },
  'campaign.finished': { subject: 'campaign', sentence: 'Nothing of a campaign waits any more.' },
  'campaign.reopened': { subject: 'campaign', sentence: 'A campaign that had finished was given new work.' },
} as const satisfies Record<string, EventType>

export type EventName = keyof typeof EVENT_TYPES

export const EVENT_NAMES = Object.keys(EVENT_TYPES) as [EventName, ...EventName[]]

/** Not chosen, but sent by a person who wants to see whether it arrives. */
export const TEST_EVENT = 'webhook.test'
export const TEST_SENTENCE = 'A person wanted to see whether events arrive.'

export function sentenceOfEvent(type: string): string {
  if (type === TEST_EVENT) return TEST_SENTENCE
  return isEventName(type) ? EVENT_TYPES[type].sentence : type
}

function isEventName(type: string): type is EventName {
  return Object.hasOwn(EVENT_TYPES, type)
}
