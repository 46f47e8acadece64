import type { Deadline } from '#lib/mail/deadline.ts'
import { refusedWith } from '#lib/mail/smtp/smtp-refusal.ts'
import type { SmtpTest } from '#lib/mail/smtp/test-smtp.ts'
import type { TestStep } from '#lib/mail/smtp/test-steps.ts'
import type { OutgoingMessage } from '#lib/mail/transport.ts'
import type { CallFailure } from './call-failure.ts'
import type { Called } from './gmail-api.ts'
import { wordsOf } from './gmail-connection.ts'
import type { GmailLink } from './gmail-link.ts'
import { forGmail } from './own-headers.ts'

/** `isFenced`: a draft that was deleted could not be sent any more, and one that was sent could not be deleted. */
export type LiveCheck = { test: SmtpTest; isFenced: boolean }

/** Says what Gmail did, where it was none of what it should do; nothing is wrong with the mailbox then, but with drafts. */
class Unfenced extends Error {
  override readonly name = 'Unfenced'
}

class Failed extends Error {
  override readonly name = 'Failed'
  readonly step: TestStep
  readonly failure: CallFailure
  constructor(step: TestStep, failure: CallFailure) {
    super(step)
    this.step = step
    this.failure = failure
  }
}

/**
 * Tries with messages to the mailbox itself what never sending twice rests on: that who deletes a draft keeps it from ever
 * being sent, and that nobody can delete one that was sent. Where Gmail should do anything else, the mailbox sends
 * directly, and a person decides what is unknown.
 */
export async function checkLive(
  link: GmailLink,
  message: OutgoingMessage,
  deadline: Deadline,
  reached: (step: TestStep) => void = () => undefined,
): Promise<LiveCheck> {
  try {
    const isFenced = link.abilities.draft && (await proveFence(link, message, deadline, reached))
    if (!isFenced) {
      reached('message')
      must('message', await link.api.send({ raw: forGmail(message) }, deadline))
    }
    return { test: { ok: true }, isFenced }
  } catch (error) {
    if (error instanceof Failed) return { test: await told(link, error), isFenced: false }
    throw error
  }
}

async function proveFence(
  { api }: GmailLink,
  message: OutgoingMessage,
  deadline: Deadline,
  reached: (step: TestStep) => void,
): Promise<boolean> {
  const body = { raw: forGmail(message) }
  try {
    reached('draft')
    const deleted = must('draft', await api.createDraft(body, deadline))
    reached('fence')
    must('fence', await api.deleteDraft(deleted, deadline))
    mustBeGone('fence', await api.sendDraft(deleted, deadline))
    reached('message')
    const sent = must('draft', await api.createDraft(body, deadline))
    must('message', await api.sendDraft(sent, deadline))
    mustBeGone('message', await api.deleteDraft(sent, deadline))
    return true
  } catch (error) {
    if (error instanceof Unfenced) return false
    throw error
  }
}

function must<T>(step: TestStep, called: Called<T>): T {
  if (!called.ok) throw new Failed(step, called.failure)
  return called.data
}

function mustBeGone(step: TestStep, called: Called<unknown>): void {
  if (called.ok) throw new Unfenced()
  if (called.failure.kind !== 'refused' || called.failure.status !== 404) throw new Failed(step, called.failure)
}

async function told(link: GmailLink, { step, failure }: Failed): Promise<SmtpTest> {
  const refused =
    (await link.refusalIn(failure)) ??
    refusedWith('SERVICE_UNAVAILABLE', 'mailbox', { reason: UNCLEAR, providerText: wordsOf(failure) })
  const { code, reason, providerText = null } = refused
  return { ok: false, stage: step, step, code, sentence: reason, providerText }
}

const UNCLEAR = 'Gmail did not answer as it should. Try again in a minute.'
