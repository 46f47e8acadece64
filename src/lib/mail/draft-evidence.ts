import { ERROR_SENTENCES } from '#lib/email-scheduler/error-codes.ts'
import type { AskProvider, UnknownAttempt } from '#lib/email-scheduler/evidence.ts'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { Deadline } from './deadline.ts'

type Accepted = Extract<SendOutcome, { kind: 'accepted' }>

/**
 * What a provider that makes drafts lets us do with them, apart from any connection that sends. Each answers within the
 * deadline, and throws where nothing was learned.
 */
export interface Drafts {
  /**
   * `removed`: by this very call. `absent`: there is none of this id, whether it was sent or removed. `unproven`: it was
   * left alone, since its removal would not prove of this mailbox that it was not sent.
   */
  remove(draft: { mailboxId: string; draftId: string }, deadlineMs: number): Promise<'removed' | 'absent' | 'unproven'>
  /** Looks for the message among what was sent. Not to find it proves nothing. */
  findSent(attempt: UnknownAttempt, deadlineMs: number): Promise<Accepted | undefined>
}

const ASK_MS_MAX = 15_000

/**
 * Evidence from a draft. Only our own removal of it proves unsent, since it fences as well: a worker that wakes late finds
 * nothing to send. Where there is no draft, an acceptance may be found; where none is found, nothing is known.
 */
export function askByDraft(drafts: Drafts): AskProvider {
  return async (attempt) => {
    const { mailboxId, draftId } = attempt
    const deadline = new Deadline(ASK_MS_MAX)
    try {
      const removed = draftId === null ? 'absent' : await drafts.remove({ mailboxId, draftId }, deadline.leftMs())
      if (removed === 'removed') return DRAFT_DELETED
      return (await drafts.findSent(attempt, deadline.leftMs())) ?? NO_EVIDENCE
    } catch (error) {
      return { ...NOT_ASKED, providerText: error instanceof Error ? error.message : String(error) }
    }
  }
}

const DRAFT_DELETED = {
  kind: 'retry',
  scope: 'message',
  code: 'DRAFT_DELETED',
  reason: ERROR_SENTENCES.DRAFT_DELETED,
} as const satisfies SendOutcome

const NO_EVIDENCE = {
  kind: 'unknown',
  code: 'NO_EVIDENCE',
  reason: ERROR_SENTENCES.NO_EVIDENCE,
} as const satisfies SendOutcome

const NOT_ASKED = {
  kind: 'unknown',
  code: 'PROVIDER_UNAVAILABLE',
  reason: ERROR_SENTENCES.PROVIDER_UNAVAILABLE,
} as const satisfies SendOutcome
