import type pg from 'pg'
import type { ClaimedEmail } from '#lib/email-scheduler/claim.ts'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import { readFrozenContents } from '#lib/email-scheduler/frozen-content.ts'
import type { ReadyEmail } from '#lib/email-scheduler/last-look.ts'
import type { OutgoingMessage } from '#lib/mail/transport.ts'

export type Rendered =
  | { kind: 'content'; content: EmailContent; prospectUpdatedAt: Date }
  | { kind: 'missing-fields'; missing: string[]; prospectUpdatedAt: Date; stepUpdatedAt: Date }
  | { kind: 'unrenderable'; reason: string }

export type RenderEmails = (emails: readonly ClaimedEmail[]) => Promise<ReadonlyMap<string, Rendered>>
export type ComposeMessage = (email: ClaimedEmail, content: EmailContent) => Promise<OutgoingMessage>
/** Reads what a batch needs (the keys that sign) once, and then composes each of it. */
export type ComposerFor = (emails: readonly ClaimedEmail[]) => Promise<ComposeMessage>

export type Prepared =
  | ({ kind: 'ready'; message: OutgoingMessage } & ReadyEmail)
  | { kind: 'missing-fields'; email: ClaimedEmail; missing: string[]; prospectUpdatedAt: Date; stepUpdatedAt: Date }
  | { kind: 'unrenderable'; email: ClaimedEmail; reason: string }

export type PrepareContents = (emails: readonly ClaimedEmail[]) => Promise<Prepared[]>

/** What goes out: the frozen copy where there is one, so that a retry sends the same; rendered now for all others. */
export function contentPreparer(pool: pg.Pool, render: RenderEmails, composerFor: ComposerFor): PrepareContents {
  return async (emails) => {
    const frozen = await readFrozenContents(pool, emails)
    const rendered = await render(emails.filter(({ id }) => !frozen.has(id)))
    const compose = await composerFor(emails)
    return Promise.all(
      emails.map(async (email): Promise<Prepared> => {
        const copy = frozen.get(email.id)
        const found = copy
          ? ({ kind: 'content', content: copy, prospectUpdatedAt: null } as const)
          : rendered.get(email.id)
        if (!found) return { kind: 'unrenderable', email, reason: 'Its recipient or its step is gone.' }
        if (found.kind !== 'content') return { email, ...found }
        const { content, prospectUpdatedAt } = found
        try {
          return { kind: 'ready', email, content, prospectUpdatedAt, message: await compose(email, content) }
        } catch (error) {
          return { kind: 'unrenderable', email, reason: error instanceof Error ? error.message : String(error) }
        }
      }),
    )
  }
}
