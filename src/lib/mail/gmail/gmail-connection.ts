import { setTimeout as sleep } from 'node:timers/promises'
import { ERROR_SENTENCES } from '#lib/email-scheduler/error-codes.ts'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import { refusedWith } from '#lib/mail/smtp/smtp-refusal.ts'
import type { MailConnection, OutgoingMessage, Preparing } from '#lib/mail/transport.ts'
import type { CallFailure } from './call-failure.ts'
import type { Called, GmailMessage, Sent } from './gmail-api.ts'
import type { GmailLink } from './gmail-link.ts'
import { forGmail } from './own-headers.ts'
import { findSentMessage } from './sent-messages.ts'

/** Hands messages over by drafts where the mailbox may, and directly where not. */
export function gmailConnection(link: GmailLink): MailConnection {
  let isClosed = false
  const common = {
    submit: (message: OutgoingMessage, deadlineMs: number, draftId?: string) =>
      submit(link, message, new Deadline(deadlineMs), draftId),
    isUsable: () => !isClosed && !link.isOver(),
    close: () => {
      isClosed = true
    },
  }
  if (!link.usesDrafts) return common
  return {
    ...common,
    prepare: (message, deadlineMs) => makeDraft(link, message, new Deadline(deadlineMs)),
    async discard(draftId, deadlineMs) {
      const deleted = await link.api.deleteDraft(draftId, new Deadline(deadlineMs))
      if (!deleted.ok && !isNotFound(deleted.failure))
        throw new Error(`the draft is still there: ${wordsOf(deleted.failure)}`)
    },
  }
}

export const isNotFound = (failure: CallFailure) => failure.kind === 'refused' && failure.status === 404

export function wordsOf(failure: CallFailure): string {
  return failure.kind === 'not-let-go' ? 'there was no time left' : failure.text
}

async function makeDraft(link: GmailLink, message: OutgoingMessage, deadline: Deadline): Promise<Preparing> {
  const made = await inThread(message, (body) => link.api.createDraft(body, deadline))
  if (made.ok) return { ok: true, draftId: made.data }
  const refused = await link.refusalIn(made.failure)
  if (refused) return { ok: false, outcome: refused }
  // A message that Gmail cannot take has to use up its retries, or it would hold the mailbox for ever; a Gmail that is down
  // must cost no email an attempt. Which it is, another question tells.
  const answers = await link.api.profile(new Deadline(PROBE_MS_MAX))
  const providerText = wordsOf(made.failure)
  return {
    ok: false,
    outcome: answers.ok
      ? refusedWith('TEMPORARY_FAILURE', 'message', { reason: NO_DRAFT, providerText })
      : refusedWith('SERVICE_UNAVAILABLE', 'mailbox', { reason: DOWN, providerText }),
  }
}

const PROBE_MS_MAX = 3_000

const NO_DRAFT = 'Gmail made no draft of this message, though it answers otherwise. Nothing was sent.'
const DOWN = 'Gmail does not answer as it should. Nothing was sent; sending goes on when it does.'

/** A thread that the person has thrown away is none any more: the message goes all the same, as an answer by its headers. */
async function inThread<T>(
  message: OutgoingMessage,
  work: (body: GmailMessage) => Promise<Called<T>>,
): Promise<Called<T>> {
  const raw = forGmail(message)
  const { threadId } = message
  const done = await work({ raw, threadId })
  return threadId !== undefined && !done.ok && isAboutThread(done.failure) ? work({ raw }) : done
}

const isAboutThread = (failure: CallFailure) =>
  isNotFound(failure) || (failure.kind === 'refused' && failure.status === 400 && /thread/i.test(failure.text))

async function submit(
  link: GmailLink,
  message: OutgoingMessage,
  deadline: Deadline,
  draftId: string | undefined,
): Promise<SendOutcome> {
  const sent =
    draftId === undefined
      ? await inThread(message, (body) => link.api.send(body, deadline))
      : await link.api.sendDraft(draftId, deadline)
  if (sent.ok) return accepted(link, message, sent.data, deadline)
  if (draftId !== undefined && isNotFound(sent.failure)) return afterDraftHasGone(link, message, deadline)
  return link.outcomeOf(sent.failure)
}

/**
 * This call has sent nothing. But who took the draft away is not known: our own recovery, which has proven it by then, or
 * the person, who may have sent it by hand.
 */
async function afterDraftHasGone(link: GmailLink, message: OutgoingMessage, deadline: Deadline): Promise<SendOutcome> {
  const ids = [message.messageId]
  const found = await findSentMessage(link, { ids, to: message.envelope.to, since: link.now() }, deadline)
  if (found.ok && found.data) return found.data
  return { kind: 'unknown', code: 'NO_EVIDENCE', reason: ERROR_SENTENCES.NO_EVIDENCE }
}

/** It may be some moments until a message that was just sent can be read. */
const READ_AGAIN_MS = [0, 300, 1_000]

/** With the Message-ID that readers see, by which follow-ups answer it. Where it cannot be read, our own stands for it. */
async function accepted(
  { api, abilities }: GmailLink,
  message: OutgoingMessage,
  { id, threadId }: Sent,
  deadline: Deadline,
): Promise<SendOutcome> {
  if (abilities.read)
    for (const pauseMs of READ_AGAIN_MS) {
      if (deadline.leftMs() <= pauseMs) break
      await sleep(pauseMs)
      const headers = await api.headersOf(id, ['Message-ID'], deadline)
      const messageId = headers.ok ? headers.data.get('message-id') : undefined
      if (messageId) return { kind: 'accepted', messageId, threadId }
    }
  return { kind: 'accepted', messageId: message.messageId, threadId }
}
