import type pg from 'pg'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import type { Refused } from '#lib/email-scheduler/outcome.ts'
import type { ClaimedEmail } from '#lib/email-scheduler/send/claim.ts'
import type { Origin, ReadyEmail, WrittenFrom } from '#lib/email-scheduler/send/final-check.ts'
import { type FrozenCopy, readFrozenCopies } from '#lib/email-scheduler/send/frozen-content.ts'
import type { OutgoingMessage } from '#lib/mail/transport.ts'
import type { MailboxKind } from '#lib/platform/generated/enums.ts'

export type Rendered =
  | { kind: 'content'; content: EmailContent; writtenFrom: WrittenFrom }
  | { kind: 'missing-fields'; missing: string[]; writtenFrom: WrittenFrom }
  | { kind: 'unrenderable'; reason: string }

export type RenderEmails = (emails: readonly ClaimedEmail[]) => Promise<ReadonlyMap<string, Rendered>>
/** `ok: false` where nothing of the mailbox can be composed, whatever the content. */
export type Composed = { ok: true; message: OutgoingMessage } | { ok: false; outcome: Refused }
export type ComposeMessage = (
  email: ClaimedEmail,
  content: EmailContent,
  blindCopies: readonly string[],
) => Promise<Composed>
/** Reads what a batch needs (the keys that sign, the threads that it goes into) once, and then composes each of it. */
export type ComposerFor = (emails: readonly ClaimedEmail[], kind: MailboxKind) => Promise<ComposeMessage>

export type Prepared =
  | ({ kind: 'ready'; message: OutgoingMessage } & ReadyEmail)
  | { kind: 'missing-fields'; email: ClaimedEmail; missing: string[]; writtenFrom: WrittenFrom }
  | { kind: 'unrenderable'; email: ClaimedEmail; reason: string }
  /** The mailbox's fault and not the email's. */
  | { kind: 'impossible'; email: ClaimedEmail; outcome: Refused }

/** `kind`: of the mailbox that all of them leave from. */
export type PrepareContents = (emails: readonly ClaimedEmail[], kind: MailboxKind) => Promise<Prepared[]>

/** Servers and readers distrust a message that is dated long before it comes. */
const DATE_STALE_AFTER_MS = 60 * 60_000

/**
 * What goes out: the frozen copy where there is one, so that a retry sends the same; rendered now for all others. A copy
 * to an address that is no longer the recipient's is not one, unless an earlier attempt may have arrived: then the
 * final check refuses it.
 */
export function contentPreparer(pool: pg.Pool, render: RenderEmails, composerFor: ComposerFor): PrepareContents {
  return async (emails, kind) => {
    const frozen = await readFrozenCopies(pool, emails)
    const copyOf = ({ id }: ClaimedEmail) => {
      const copy = frozen.get(id)
      return copy && (copy.mayHaveArrived || copy.isToCurrentAddress) ? copy : undefined
    }
    const rendered = await render(emails.filter((email) => copyOf(email) === undefined))
    const compose = await composerFor(emails, kind)
    return Promise.all(
      emails.map(async (email): Promise<Prepared> => {
        const copy = copyOf(email)
        const found = copy ? fromCopy(copy, email.claimedAt) : fromRendering(rendered.get(email.id))
        if (found.kind !== 'content') return { email, ...found }
        const { content, origin } = found
        try {
          const composed = await compose(email, content, copy?.blindCopies ?? [])
          return composed.ok
            ? { kind: 'ready', email, content, origin, message: composed.message }
            : { kind: 'impossible', email, outcome: composed.outcome }
        } catch (error) {
          return { kind: 'unrenderable', email, reason: error instanceof Error ? error.message : String(error) }
        }
      }),
    )
  }
}

type Found = { kind: 'content'; content: EmailContent; origin: Origin }

function fromCopy({ content, mayHaveArrived }: FrozenCopy, now: Date): Found {
  const isStale = now.getTime() - content.date.getTime() > DATE_STALE_AFTER_MS
  return isStale && !mayHaveArrived
    ? { kind: 'content', content: { ...content, date: now }, origin: { kind: 'dated-anew' } }
    : { kind: 'content', content, origin: { kind: 'frozen', mayHaveArrived } }
}

function fromRendering(rendered: Rendered | undefined): Found | Exclude<Rendered, { kind: 'content' }> {
  if (!rendered) return { kind: 'unrenderable', reason: 'Its recipient or its step is gone.' }
  if (rendered.kind !== 'content') return rendered
  const { content, writtenFrom } = rendered
  return { kind: 'content', content, origin: { kind: 'written', from: writtenFrom } }
}
