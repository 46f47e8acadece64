import { isAscii } from 'node:buffer'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { ERROR_SENTENCES } from '#lib/email-scheduler/error-codes.ts'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import type { MailConnection, OutgoingMessage } from '#lib/mail/transport.ts'
import type { Conversation } from './smtp-conversation.ts'
import { refusalOf, refusedWith, type SmtpStage } from './smtp-refusal.ts'
import { isRefusalReply, providerWords, readReply } from './smtp-reply.ts'

/** Longer, and a server or something on the way may have forgotten us without a word. */
const IDLE_MS_MAX = 120_000
const RESET_MS_MAX = 5_000
const QUIT_MS_MAX = 2_000
const READ_FIRST_MS = 20
const PIECE_BYTES = 16 * 1024

type Parts = {
  smtp: SMTPConnection
  /** Below any encryption: nothing leaves once it is destroyed. */
  socket: Socket
  conversation: Conversation
  secrets: readonly string[]
  now: () => Date
}

/** How a submit came to its end: the server answered, the connection broke, time was up, or this process slept through it. */
type Ending = 'answered' | 'broken' | 'timeout' | 'stalled'

const UNSENT = { timeout: 'ETIMEDOUT', stalled: 'WORKER_STALLED', broken: 'ECONNRESET', answered: 'BAD_REPLY' } as const
const UNDECIDED = {
  timeout: 'TIMEOUT_AFTER_DATA',
  stalled: 'STALLED_AFTER_DATA',
  broken: 'CONNECTION_LOST_AFTER_DATA',
  answered: 'BAD_FINAL_REPLY',
} as const

/**
 * One logged-in connection. What became of a message is read from what was said, and from whether its first byte had been
 * let go: before that nothing was sent, whatever else happened, and what ended without a clear state is destroyed, so that
 * nothing can leave later.
 */
export class SmtpMailConnection implements MailConnection {
  readonly #parts: Parts
  #isInDoubt = false
  #lastUsedMs = performance.now()
  #isBusy = false
  #hasCarried = false
  #wasTried = false

  constructor(parts: Parts) {
    this.#parts = parts
    // Without a listener an idle connection that breaks would end the process.
    parts.smtp.on('error', () => this.#destroy())
    parts.smtp.on('end', () => {
      this.#isInDoubt = true
    })
  }

  isUsable(): boolean {
    const { smtp, socket } = this.#parts
    const isOpen = [socket, smtp._socket].every((each) => each && !each.destroyed && each.readable && each.writable)
    return (
      isOpen &&
      !smtp.destroyed &&
      !this.#isInDoubt &&
      !this.#isBusy &&
      performance.now() - this.#lastUsedMs < IDLE_MS_MAX
    )
  }

  async submit(message: OutgoingMessage, deadlineMs: number): Promise<SendOutcome> {
    if (this.#isBusy) return refusedWith('ECONNRESET', 'message')
    const isFirst = !this.#wasTried
    this.#wasTried = true
    if (!this.isUsable()) {
      this.#destroy()
      // Broken as soon as it was open, as where MAIL is met by the end: every other email would fare the same.
      return refusedWith('ECONNRESET', isFirst ? 'mailbox' : 'message')
    }
    const deadline = new Deadline(deadlineMs)
    const impossible = this.#whyImpossible(message)
    if (impossible) return impossible
    this.#isBusy = true
    try {
      const outcome = await this.#transact(message, deadline)
      if (outcome.kind === 'accepted') this.#hasCarried = true
      else if (!this.#isInDoubt) await this.#reset(deadline)
      return outcome
    } finally {
      this.#isBusy = false
      this.#lastUsedMs = performance.now()
      this.#parts.conversation.end()
    }
  }

  close(): void {
    const { smtp, socket } = this.#parts
    if (!this.isUsable()) {
      this.#destroy()
      return
    }
    this.#isInDoubt = true
    smtp.quit()
    setTimeout(() => socket.destroy(), QUIT_MS_MAX).unref()
  }

  /** What the server has said beforehand that it cannot take. */
  #whyImpossible({ envelope, raw }: OutgoingMessage): SendOutcome | undefined {
    const { offer } = this.#parts.conversation
    const addresses = [envelope.from, envelope.to]
    if (addresses.some((address) => address === '' || /[\s<>,;]/.test(address)))
      return refusedWith('INVALID_RECIPIENT', 'recipient', {
        reason: 'The envelope does not hold exactly one address.',
      })
    if (!offer.smtpUtf8 && addresses.some((address) => /\P{ASCII}/u.test(address)))
      return refusedWith('SMTPUTF8_UNSUPPORTED', 'recipient')
    if (!offer.eightBitMime && !isAscii(raw)) return refusedWith('EIGHT_BIT_UNSUPPORTED', 'message')
    if (offer.messageBytesMax > 0 && raw.byteLength > offer.messageBytesMax)
      return refusedWith('MESSAGE_TOO_LARGE', 'message', {
        reason: `The message has ${raw.byteLength} bytes, and the mail server takes at most ${offer.messageBytesMax}. Make it smaller.`,
      })
    return undefined
  }

  /** Of the blind copies, those that the server can be asked about at all. */
  #copiesOf({ bcc = [] }: OutgoingMessage['envelope']): string[] {
    const { smtpUtf8 } = this.#parts.conversation.offer
    return bcc.filter((address) => !/[\s<>,;]/.test(address) && (smtpUtf8 || !/\P{ASCII}/u.test(address)))
  }

  #transact({ envelope, messageId, raw }: OutgoingMessage, deadline: Deadline): Promise<SendOutcome> {
    const { smtp, socket, conversation } = this.#parts
    const copies = this.#copiesOf(envelope)
    return new Promise((resolve) => {
      let isLetGo = false
      let isOver = false
      const finish = (ending: Ending, serverMessageId?: string) => {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        smtp.off('end', broken)
        const isStalled = ending === 'timeout' && deadline.wasSleptThrough()
        const outcome = this.#outcome(
          isStalled ? 'stalled' : ending,
          isLetGo,
          readServerId(serverMessageId) ?? messageId,
          copies,
        )
        if (!this.#isClear(ending, isLetGo, copies.length)) this.#destroy()
        resolve(outcome)
      }
      const broken = () => finish('broken')
      // A process that was stopped wakes up with its deadline over and, it may be, the answer waiting: that is read first.
      const timeUp = () => (isLetGo ? setTimeout(() => finish('timeout'), READ_FIRST_MS) : finish('timeout'))
      const timer = setTimeout(timeUp, deadline.leftMs())
      const body = withheldBody(raw, {
        mayGoOn: () => {
          // Asked for here too, not only by the timer: a process that was stopped wakes up with a 354 waiting, and the
          // timer may come second.
          if (deadline.isOver()) finish('timeout')
          else if (socket.destroyed) finish('broken')
          else if (!isLetGo && !this.#mayLetGo(copies.length)) finish('answered')
          if (isOver) return false
          isLetGo = true
          return true
        },
        hasLeft: () => written(smtp._socket || socket),
      })
      smtp.on('end', broken)
      conversation.begin()
      const { eightBitMime } = conversation.offer
      const announced = {
        from: envelope.from,
        to: [envelope.to, ...copies],
        size: raw.byteLength,
        use8BitMime: eightBitMime,
      }
      try {
        smtp.send(announced, body, (error, info) => {
          if (!error) finish('answered', info?.serverMessageId)
          else finish(error.response ? 'answered' : 'broken')
        })
      } catch {
        finish('broken')
      }
    })
  }

  /**
   * All three yeses are in, and nothing has come ahead of its time. nodemailer itself would also take a 250 to DATA, and
   * would go on with the copies alone where the recipient was refused.
   */
  #mayLetGo(copies: number): boolean {
    const { replies } = this.#parts.conversation
    const { mail, rcpt, data } = repliesIn(replies, copies)
    const [codeOfMail, codeOfRcpt, codeOfData] = [mail, rcpt, data].map((reply) => readReply(reply)?.code ?? 0)
    return replies.length === 3 + copies && isYes(codeOfMail) && isYes(codeOfRcpt) && codeOfData === 354
  }

  #outcome(ending: Ending, isLetGo: boolean, messageId: string, copies: readonly string[]): SendOutcome {
    const { conversation, secrets, now } = this.#parts
    const { mail, rcpt, ofCopies, data, final } = repliesIn(conversation.replies, copies.length)
    const said = (text: string | undefined) => (text ? { providerText: providerWords(text, secrets) } : {})
    const refused = (stage: SmtpStage, text: string | undefined) => {
      const reply = readReply(text)
      return isRefusalReply(reply) ? refusalOf(stage, reply, providerWords(reply.text, secrets), now()) : undefined
    }
    if (!isLetGo) {
      // What comes after nonsense is only its consequence: RCPT is refused where MAIL was not understood.
      const isNonsense = (text: string | undefined) => text !== undefined && !readReply(text)
      const refusal =
        refused('MAIL', mail) ??
        (isNonsense(mail) ? undefined : refused('RCPT', rcpt)) ??
        (isNonsense(mail) || isNonsense(rcpt) ? undefined : refused('DATA', data))
      if (refusal) return refusal
      const isOddlyAnswered = ending === 'broken' && !conversation.isCutShort && conversation.replies.some(isNonsense)
      // What breaks before the sender was accepted is not about this email: the next would fare the same. Unless the
      // connection has carried one before: many servers close after each, and the close may cross the next MAIL. A process
      // that stood still says nothing of the mailbox, whether or not it woke in time to read the answer to MAIL.
      const isOfThisEmail = ending === 'stalled' || isYes(readReply(mail)?.code) || this.#hasCarried
      const scope = isOfThisEmail ? 'message' : 'mailbox'
      return refusedWith(UNSENT[isOddlyAnswered ? 'answered' : ending], scope, said(conversation.replies.at(-1)))
    }
    const refusal = refused('MESSAGE', final)
    if (refusal) return refusal
    // An answer without its end of line, or ahead of the end of the message, is no yes that holds.
    if (ending === 'answered' && isYes(readReply(final)?.code) && conversation.messageEnded)
      return { kind: 'accepted', messageId, ...said([final, ...refusedCopies(copies, ofCopies)].join('\n')) }
    const code = UNDECIDED[ending === 'broken' && final ? 'answered' : ending]
    return { kind: 'unknown', code, reason: ERROR_SENTENCES[code], ...said(final) }
  }

  /** Whether both sides agree on where they stand, so that the next message may go the same way. */
  #isClear(ending: Ending, isLetGo: boolean, copies: number): boolean {
    const { replies, messageEnded } = this.#parts.conversation
    const codes = replies.map((reply) => readReply(reply)?.code)
    if (ending !== 'answered' || codes.includes(undefined) || codes.includes(421)) return false
    if (isLetGo) return messageEnded && replies.length === 4 + copies
    // It waits for a message that does not come.
    if (codes.includes(354)) return false
    const refusal = codes.find((code) => code !== undefined && code >= 400)
    // 50x: it did not understand us, or not in this order.
    return refusal !== undefined && !(refusal >= 500 && refusal <= 504)
  }

  /** After a refusal the server may still hold half a transaction. */
  #reset(deadline: Deadline): Promise<void> {
    const { smtp, conversation } = this.#parts
    conversation.end()
    return new Promise((resolve) => {
      const done = (isReset: boolean) => {
        clearTimeout(timer)
        smtp.off('end', broken)
        if (!isReset) this.#destroy()
        resolve()
      }
      const broken = () => done(false)
      const timer = setTimeout(broken, Math.min(RESET_MS_MAX, deadline.leftMs()))
      smtp.on('end', broken)
      smtp.reset((error) => done(!error))
    })
  }

  #destroy(): void {
    const { smtp, socket } = this.#parts
    this.#isInDoubt = true
    // The socket first: nodemailer closes gently, and would flush what is still to be written.
    socket.destroy()
    if (smtp._socket) smtp._socket.destroy()
    smtp.close()
  }
}

/** In the order that the protocol gives: to MAIL, to RCPT of the recipient and of each copy, to DATA, to the message. */
function repliesIn(replies: readonly string[], copies: number) {
  const [mail, rcpt, ...others] = replies
  return { mail, rcpt, ofCopies: others.slice(0, copies), data: others[copies], final: others[copies + 1] }
}

/** Said with the message's own answer: the email has gone, and this address did not get its copy. */
function refusedCopies(copies: readonly string[], replies: readonly string[]): string[] {
  return copies.flatMap((address, index) =>
    isYes(readReply(replies[index])?.code) ? [] : [`Blind copy to ${address} refused: ${replies[index]}`],
  )
}

type Permission = {
  /** Asked before each piece, and before the end. */
  mayGoOn: () => boolean
  /** Resolves once what was let go has been written. */
  hasLeft: () => Promise<void>
}

/**
 * The message, in pieces, each held back until it may go. Its end is let go only after the rest was written and replies had
 * a chance to be read: a server that has said yes by then has said it to less than the message.
 */
function withheldBody(raw: Buffer, { mayGoOn, hasLeft }: Permission): Readable {
  let at = 0
  return new Readable({
    async read() {
      // A turn later: replies that came ahead of their time have been read by then.
      await nextTurn()
      if (this.destroyed || !mayGoOn()) return
      const piece = raw.subarray(at, at + PIECE_BYTES)
      at += piece.byteLength
      this.push(piece)
      if (at < raw.byteLength) return
      await nextTurn()
      await hasLeft()
      await nextTurn()
      if (!this.destroyed && mayGoOn()) this.push(null)
    },
  })
}

function written(socket: Socket): Promise<void> {
  if (socket.writableLength === 0 || !socket.writable) return Promise.resolve()
  // What is empty is done once everything before it is; an error shows on the socket itself.
  return new Promise((done) => socket.write('', () => done()))
}

/** What a server calls the message, where that can be an id: it could be anything, and has to be kept and named in headers. */
function readServerId(text: string | undefined): string | undefined {
  return text !== undefined && /^<[\x21-\x3b\x3d\x3f-\x7e]{1,250}>$/.test(text) ? text : undefined
}

function isYes(code: number | undefined): boolean {
  return code !== undefined && code >= 200 && code < 300
}
