import { isAscii } from 'node:buffer'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { ERROR_SENTENCES } from '#lib/email-scheduler/error-codes.ts'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { Deadline } from './deadline.ts'
import type { Conversation } from './smtp-conversation.ts'
import { refusalOf, refusedWith, type SmtpStage } from './smtp-refusal.ts'
import { isRefusal, providerWords, readReply } from './smtp-reply.ts'
import type { MailConnection, OutgoingMessage } from './transport.ts'

/** Longer, and a server or something on the way may have forgotten us without a word. */
const IDLE_MS_MAX = 120_000
const RESET_MS_MAX = 5_000
const QUIT_MS_MAX = 2_000
const READ_FIRST_MS = 20

type Parts = {
  smtp: SMTPConnection
  /** Below any encryption: nothing leaves once it is destroyed. */
  socket: Socket
  conversation: Conversation
  secrets: readonly string[]
  now: () => Date
}

/** How a submit came to its end: the server answered, the connection broke, or time was up. */
type Ending = 'answered' | 'broken' | 'timeout'

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
    if (!this.isUsable()) {
      if (!this.#isBusy) this.#destroy()
      return refusedWith('ECONNRESET', 'message')
    }
    const deadline = new Deadline(deadlineMs)
    const impossible = this.#whyImpossible(message)
    if (impossible) return impossible
    this.#isBusy = true
    try {
      const outcome = await this.#transact(message, deadline)
      if (outcome.kind !== 'accepted' && !this.#isInDoubt) await this.#reset(deadline)
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

  #transact({ envelope, messageId, raw }: OutgoingMessage, deadline: Deadline): Promise<SendOutcome> {
    const { smtp, conversation } = this.#parts
    return new Promise((resolve) => {
      let isLetGo = false
      let isOver = false
      const finish = (ending: Ending, serverMessageId?: string) => {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        smtp.off('end', broken)
        const outcome = this.#outcome(ending, isLetGo, readServerId(serverMessageId) ?? messageId)
        if (!this.#isClear(ending, isLetGo)) this.#destroy()
        resolve(outcome)
      }
      const broken = () => finish('broken')
      // A process that was stopped wakes up with its deadline over and, it may be, the answer waiting: that is read first.
      const timeUp = () => (isLetGo ? setTimeout(() => finish('timeout'), READ_FIRST_MS) : finish('timeout'))
      const timer = setTimeout(timeUp, deadline.leftMs())
      const body = gate(raw, () => {
        // Both are asked for here, not only by the timer: a process that was stopped wakes up with a 354 waiting, and
        // the timer may come second.
        if (deadline.isOver()) finish('timeout')
        else if (!this.#mayLetGo()) finish('answered')
        if (isOver) return false
        isLetGo = true
        return true
      })
      smtp.on('end', broken)
      conversation.begin()
      const { eightBitMime } = conversation.offer
      const announced = { from: envelope.from, to: [envelope.to], size: raw.byteLength, use8BitMime: eightBitMime }
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

  /** All three yeses are in, and nothing has come ahead of its time. nodemailer itself would also take a 250 to DATA. */
  #mayLetGo(): boolean {
    const { replies } = this.#parts.conversation
    const [mail, rcpt, data] = replies.map((reply) => readReply(reply)?.code ?? 0)
    return replies.length === 3 && isYes(mail) && isYes(rcpt) && data === 354 && !this.#parts.socket.destroyed
  }

  #outcome(ending: Ending, isLetGo: boolean, messageId: string): SendOutcome {
    const { conversation, secrets, now } = this.#parts
    const [mail, rcpt, data, final] = conversation.replies
    const said = (text: string | undefined) => (text ? { providerText: providerWords(text, secrets) } : {})
    const refused = (stage: SmtpStage, text: string | undefined) => {
      const reply = readReply(text)
      return isRefusal(reply) ? refusalOf(stage, reply, providerWords(reply.text, secrets), now()) : undefined
    }
    if (!isLetGo) {
      // What comes after nonsense is only its consequence: RCPT is refused where MAIL was not understood.
      const isNonsense = (text: string | undefined) => text !== undefined && !readReply(text)
      const refusal =
        refused('MAIL', mail) ??
        (isNonsense(mail) ? undefined : refused('RCPT', rcpt)) ??
        (isNonsense(mail) || isNonsense(rcpt) ? undefined : refused('DATA', data))
      if (refusal) return refusal
      const isAnswered = ending === 'answered' || conversation.replies.some(isNonsense)
      const code = ending === 'timeout' ? 'ETIMEDOUT' : isAnswered ? 'BAD_REPLY' : 'ECONNRESET'
      return refusedWith(code, 'message', said(conversation.replies.at(-1)))
    }
    const refusal = refused('MESSAGE', final)
    if (refusal) return refusal
    // An answer without its end of line, or ahead of the end of the message, is no yes that holds.
    if (ending === 'answered' && isYes(readReply(final)?.code) && conversation.messageEnded)
      return { kind: 'accepted', messageId, ...said(final) }
    const code = ending === 'timeout' ? 'TIMEOUT_AFTER_DATA' : final ? 'BAD_FINAL_REPLY' : 'CONNECTION_LOST_AFTER_DATA'
    return { kind: 'unknown', code, reason: ERROR_SENTENCES[code], ...said(final) }
  }

  /** Whether both sides agree on where they stand, so that the next message may go the same way. */
  #isClear(ending: Ending, isLetGo: boolean): boolean {
    const { replies, messageEnded } = this.#parts.conversation
    const codes = replies.map((reply) => readReply(reply)?.code)
    if (ending !== 'answered' || codes.includes(undefined) || codes.includes(421)) return false
    if (isLetGo) return messageEnded && replies.length === 4
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

/** The message, held back until `mayGo`, which is asked once, when the server wants it. */
function gate(raw: Buffer, mayGo: () => boolean): Readable {
  let isAsked = false
  return new Readable({
    read() {
      if (isAsked) return
      isAsked = true
      // A turn later: replies that came ahead of their time have been read by then.
      setImmediate(() => {
        if (this.destroyed || !mayGo()) return
        this.push(raw)
        this.push(null)
      })
    },
  })
}

/** What a server calls the message, where that can be an id: it could be anything, and has to be kept and named in headers. */
function readServerId(text: string | undefined): string | undefined {
  return text !== undefined && /^<[\x21-\x3b\x3d\x3f-\x7e]{1,250}>$/.test(text) ? text : undefined
}

function isYes(code: number | undefined): boolean {
  return code !== undefined && code >= 200 && code < 300
}
