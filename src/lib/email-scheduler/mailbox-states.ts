import type { MailboxStatus } from '#lib/platform/generated/enums.ts'

/** What a state of a mailbox is called, and what it means, in words for people. */
export const MAILBOX_STATES: Record<MailboxStatus, { readonly name: string; readonly sentence: string }> = {
  CONNECTED: { name: 'Connected', sentence: 'Emails leave from it, as its limits allow.' },
  STOPPED: { name: 'Stopped', sentence: 'Nothing leaves from it until it is connected again.' },
  ARCHIVED: { name: 'Archived', sentence: 'It was removed, and is kept for its counts.' },
}

/** Kept as the reason where a person stopped it and nothing is wrong with it. */
export const PAUSED_BY_A_PERSON = 'A person paused it.'
