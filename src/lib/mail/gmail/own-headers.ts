import type { OutgoingMessage } from '#lib/mail/transport.ts'

/** Gmail replaces the Message-ID and keeps this: by it, what was sent is known again. */
export const OWN_ID = 'X-Sendonce-Id'

/**
 * The message as Gmail takes it. Gmail reads its recipients from the headers; those of Bcc it removes before it delivers.
 */
export function forGmail({ raw, messageId, envelope }: OutgoingMessage): Buffer {
  const bcc = envelope.bcc?.length ? `Bcc: ${envelope.bcc.join(',\r\n ')}\r\n` : ''
  return Buffer.concat([Buffer.from(`${OWN_ID}: ${messageId}\r\n${bcc}`), raw])
}
