import type { Refused, SendOutcome } from '#lib/email-scheduler/outcome.ts'

/** A composed message and where it goes: exactly one recipient, in the envelope as in the header. */
export type OutgoingMessage = { envelope: { from: string; to: string }; messageId: string; raw: Buffer }

/** An open way to a provider. In hand before the mark, so that nothing that happens while connecting can be unknown. */
export interface MailConnection {
  /** Hands one message over and answers within the deadline, whatever the other side does. Never throws. */
  submit(message: OutgoingMessage, deadlineMs: number): Promise<SendOutcome>
  /** False once the other side has gone or the last submit left it in doubt. */
  isUsable(): boolean
  close(): void
}

export type Connecting = { ok: true; connection: MailConnection } | { ok: false; outcome: Refused }

/** One mailbox's provider. */
export interface MailTransport {
  connect(deadlineMs: number): Promise<Connecting>
}
