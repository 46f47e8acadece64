import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import type { Provider } from '#lib/mail/provider.ts'
import type { OutgoingMessage, Preparing } from '#lib/mail/transport.ts'

type Accepted = Extract<SendOutcome, { kind: 'accepted' }>

/** `lost`: it is sent and the answer is not. `unsent`: no answer, and it was not sent either. */
export type DraftAnswer = 'sent' | 'lost' | 'unsent'

/**
 * A second kind of provider, as Gmail is: it makes drafts, sends a draft once, and can be asked. Who deletes a draft has
 * proved that it was not sent and never will be. Its ledger is what it sent, whatever its caller was told.
 */
export class DraftProvider implements Provider {
  readonly kept = new Map<string, OutgoingMessage>()
  readonly ledger: { draftId: string; emailId: string }[] = []
  prepares: () => Promise<void> = async () => undefined
  /** Before it looks for a draft that it is asked about. */
  asks: (draftId: string) => void | Promise<void> = () => undefined
  answers: (draftId: string) => DraftAnswer | Promise<DraftAnswer> = () => 'sent'
  #made = 0

  readonly open: Provider['open'] = async () => ({
    ok: true,
    transport: {
      connect: async () => ({
        ok: true,
        connection: {
          prepare: (message: OutgoingMessage) => this.#prepare(message),
          submit: (_message: OutgoingMessage, _deadlineMs: number, draftId?: string) => this.#send(draftId ?? ''),
          discard: async (draftId: string) => {
            this.kept.delete(draftId)
          },
          isUsable: () => true,
          close: () => undefined,
        },
      }),
    },
  })

  readonly drafts: Provider['drafts'] & {} = {
    remove: async ({ draftId }) => {
      await this.asks(draftId)
      return this.kept.delete(draftId) ? 'removed' : 'absent'
    },
    findSent: async ({ draftId }) => {
      const isSent = draftId !== null && this.ledger.some((sent) => sent.draftId === draftId)
      return isSent ? this.#accepted(draftId) : undefined
    },
  }

  /** A draft that lies there, of any maker. */
  keep(draftId: string): void {
    this.kept.set(draftId, { envelope: { from: '', to: '' }, messageId: '', raw: Buffer.alloc(0) })
  }

  async #prepare(message: OutgoingMessage): Promise<Preparing> {
    await this.prepares()
    this.#made += 1
    const draftId = `draft-${this.#made}`
    this.kept.set(draftId, message)
    return { ok: true, draftId }
  }

  async #send(draftId: string): Promise<SendOutcome> {
    const answer = await this.answers(draftId)
    const draft = this.kept.get(draftId)
    if (!draft) return UNSENT
    if (answer !== 'unsent') {
      this.kept.delete(draftId)
      this.ledger.push({ draftId, emailId: draft.messageId.slice(1, 37) })
    }
    if (answer === 'sent') return this.#accepted(draftId)
    return { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' }
  }

  /** It gives its own Message-ID and thread. */
  #accepted(draftId: string): Accepted {
    return { kind: 'accepted', messageId: `<${draftId}@provider.test>`, threadId: `thread-of-${draftId}` }
  }
}

const UNSENT = {
  kind: 'retry',
  scope: 'message',
  code: 'DRAFT_DELETED',
  reason: 'The draft was deleted.',
} as const satisfies SendOutcome
