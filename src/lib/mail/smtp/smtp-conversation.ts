import type { SmtpOffer } from './smtp-offer.ts'
import { readOffer } from './smtp-offer.ts'
import { readReply } from './smtp-reply.ts'

/** How far opening a connection has come: what a failure is about. */
export type OpeningStage = 'name' | 'address' | 'connection' | 'encryption' | 'greeting' | 'login'

type Entry = { tnx?: string }

/** Greeting, two offers, STARTTLS and a login with two questions are eight. One who asks on would keep us at it without end. */
const OPENING_REPLIES_MAX = 20

/**
 * Listens to nodemailer's transaction log: the only place that tells what was said when. Its errors do not: a close at
 * RCPT and a close after an accepted final dot look the same (src/decisions/smtp.md).
 */
export class Conversation {
  /** What was answered since MAIL, in the order that the protocol gives: to MAIL, to each RCPT, to DATA, to the message. */
  readonly replies: string[] = []
  /** Every byte of the message up to the dot has gone to the socket. */
  messageEnded = false
  /** What the server can do, as it said last: after STARTTLS it is asked again. */
  offer: SmtpOffer = readOffer('')
  lastReply = ''
  /** What came last was no reply, because the connection ended in the middle of it. */
  isCutShort = false
  /** Told once, where more is said before the login is done than any login needs. */
  onTalkingOn: () => void = () => undefined
  #openingStage: OpeningStage
  #repliesHeard = 0
  #awaitsOffer = false
  #inTransaction = false

  readonly #isClosed: () => boolean
  readonly #reached: (stage: OpeningStage) => void

  constructor(isEncryptedFromTheStart: boolean, isClosed: () => boolean, reached: (stage: OpeningStage) => void) {
    this.#isClosed = isClosed
    this.#reached = reached
    this.#openingStage = isEncryptedFromTheStart ? 'encryption' : 'greeting'
    reached(this.#openingStage)
  }

  get openingStage(): OpeningStage {
    return this.#openingStage
  }

  set openingStage(stage: OpeningStage) {
    if (stage === this.#openingStage) return
    this.#openingStage = stage
    this.#reached(stage)
  }

  /** For nodemailer; keeps nothing of what it does not need. */
  readonly logger = Object.fromEntries(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => [
      level,
      (entry: Entry, message: unknown) => this.#take(entry, String(message ?? '')),
    ]),
  )

  begin(): void {
    this.replies.length = 0
    this.messageEnded = false
    this.#inTransaction = true
  }

  end(): void {
    this.#inTransaction = false
  }

  #take({ tnx }: Entry, message: string): void {
    if (tnx === 'client') this.#sent(message)
    else if (tnx === 'server') this.#received(message)
    else if (tnx === 'message') this.messageEnded = true
    else if (tnx === 'network' && this.openingStage === 'encryption') this.openingStage = 'greeting'
  }

  #sent(command: string): void {
    if (/^(?:EHLO|HELO)\b/.test(command)) {
      this.#awaitsOffer = true
      this.openingStage = 'greeting'
    }
    if (/^STARTTLS\b/.test(command)) this.openingStage = 'encryption'
  }

  #received(reply: string): void {
    this.lastReply = reply
    this.#repliesHeard += 1
    if (this.#repliesHeard === OPENING_REPLIES_MAX + 1) this.onTalkingOn()
    this.isCutShort = this.#isClosed() && !readReply(reply)
    if (this.#awaitsOffer) this.offer = readOffer(reply)
    this.#awaitsOffer = false
    if (this.#inTransaction) this.replies.push(reply)
  }
}
