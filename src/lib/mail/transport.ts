import type { Refused, SendOutcome } from '#lib/email-scheduler/outcome.ts'

/**
 * A composed message and where it goes: exactly one recipient, in the envelope as in the header. Those of `bcc` stand in the
 * envelope alone, and none of them keeps the message from going to the one whom it is for.
 */
export type OutgoingMessage = {
  envelope: { from: string; to: string; bcc?: readonly string[] }
  messageId: string
  raw: Buffer
  /** Of a provider that keeps threads: the one that it is to go into, in the mailbox that it leaves from. */
  threadId?: string | undefined
}

/** An open way to a provider. In hand before the mark, so that nothing that happens while connecting can be unknown. */
export interface MailConnection {
  /** Hands one message over and answers within the deadline, whatever the other side does. Never throws. */
  submit(message: OutgoingMessage, deadlineMs: number, draftId?: string): Promise<SendOutcome>
  /**
   * Of providers that make something before they send, like a draft: its id is kept before the mark, and `submit` sends
   * it. Nothing has been handed over by it. Never throws.
   */
  prepare?(message: OutgoingMessage, deadlineMs: number): Promise<Preparing>
  /** Takes back what was prepared and is not to be sent. */
  discard?(draftId: string, deadlineMs: number): Promise<void>
  /** False once the other side has gone or the last submit left it in doubt. */
  isUsable(): boolean
  close(): void
}

export type Preparing = { ok: true; draftId: string } | { ok: false; outcome: Refused }

export type Connecting = { ok: true; connection: MailConnection } | { ok: false; outcome: Refused }

/** The way out of one mailbox. */
export interface MailTransport {
  connect(deadlineMs: number): Promise<Connecting>
}
