import type { PersonEventType } from '#lib/platform/generated/enums.ts'

/** What can happen with a person, each with what a page says of it. */
export const PERSON_EVENTS = {
  SENT: { word: 'Sent', sentence: 'A provider accepted an email to them.' },
  FAILED: { word: 'Failed for good', sentence: 'An email to them failed for good; a person may retry it.' },
  BOUNCED: { word: 'Bounced', sentence: 'A server said that their address does not exist.' },
  REPLIED: { word: 'Replied', sentence: 'They replied; nothing more of the sequence is sent.' },
  OPENED: { word: 'Opened', sentence: 'They opened an email, as far as can be told.' },
  CLICKED: { word: 'Clicked', sentence: 'They followed a link of an email.' },
  UNSUBSCRIBED: { word: 'Unsubscribed', sentence: 'They unsubscribed, or a member noted that they wish to.' },
  CUSTOM: { word: 'Custom', sentence: 'A program told of it.' },
} as const satisfies Record<PersonEventType, { word: string; sentence: string }>

export const PERSON_EVENT_TYPES = Object.keys(PERSON_EVENTS) as [PersonEventType, ...PersonEventType[]]

/** How a program may name its events; the database refuses all others. */
export const CUSTOM_EVENT_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/

/** What is left of a custom event's name once its person was erased. */
export const ERASED_NAME = 'erased'

export const EVENT_DATA_BYTES_MAX = 4_096
