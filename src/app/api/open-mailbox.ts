import type { OpenTransport } from '#lib/mail/test-send.ts'

/** The way out of a mailbox. */
export const openMailbox: OpenTransport = async () => ({
  ok: false,
  outcome: { kind: 'retry', scope: 'mailbox', code: 'NOT_BUILT', reason: 'Mailboxes cannot be connected yet.' },
})
