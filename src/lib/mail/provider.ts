import { ERROR_SENTENCES } from '#lib/email-scheduler/error-codes.ts'
import type { AskProvider } from '#lib/email-scheduler/evidence.ts'
import type { Refused } from '#lib/email-scheduler/outcome.ts'
import { MailboxKind } from '#lib/platform/generated/enums.ts'
import { askByDraft, type Drafts } from './draft-evidence.ts'
import type { MailTransport } from './transport.ts'

export type OpenedTransport = { ok: true; transport: MailTransport } | { ok: false; outcome: Refused }

/**
 * What the product needs of a kind of mailbox: a way out of each, whose connections prepare and submit, and evidence of
 * what became of an attempt whose outcome is unknown.
 */
export interface Provider {
  /** Settings, credentials and the server's address are those of this moment. */
  open(mailboxId: string): Promise<OpenedTransport>
  /** Of providers that make drafts. Nothing tells the others what became of an attempt. */
  drafts?: Drafts
}

export type Providers = Readonly<Partial<Record<MailboxKind, Provider>>>

export async function openMailbox(
  providers: Providers,
  { id, kind }: { id: string; kind: MailboxKind },
): Promise<OpenedTransport> {
  const provider = providers[kind]
  if (provider) return provider.open(id)
  const reason = 'This installation cannot send from mailboxes of this kind.'
  return { ok: false, outcome: { kind: 'retry', scope: 'mailbox', code: 'MAILBOX_INCOMPLETE', reason } }
}

/** Asks the provider of the mailbox that the attempt went through. */
export function askProviderOf(providers: Providers): AskProvider {
  return async (attempt) => {
    const drafts = providers[attempt.mailboxKind]?.drafts
    if (drafts) return askByDraft(drafts)(attempt)
    return { kind: 'unknown', code: 'CANNOT_BE_ASKED', reason: ERROR_SENTENCES.CANNOT_BE_ASKED }
  }
}

/** Kinds of mailboxes whose providers can be asked. */
export function kindsWithDrafts(providers: Providers): MailboxKind[] {
  return Object.values(MailboxKind).filter((kind) => providers[kind]?.drafts !== undefined)
}
