import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { readDkimKeys } from '#lib/mail/domains/dkim-keys.ts'
import { type OpenedTransport, openMailbox, type Providers } from '#lib/mail/provider.ts'
import type { OutgoingMessage } from '#lib/mail/transport.ts'
import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { MailboxKind } from '#lib/platform/generated/enums.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { missingSentence } from '#lib/sequences/merge-fields.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { composeMessage } from './compose.ts'
import { type Preview, type PreviewAsk, previewStep } from './preview.ts'

export type TestSendBy = {
  appUrl: string
  keyring: Keyring
  person: { name: string; email: string }
  actor: Actor
  providers: Providers
}

const CONNECT_MS_MAX = 15_000
const SUBMIT_MS_MAX = 30_000

type TestSent = { to: string; subject: string; notes: string[] }

/** Sends a step to the person who asks for it. */
export async function sendTest(
  sql: Sql,
  workspaceId: string,
  ask: PreviewAsk & { mailboxId: string },
  by: TestSendBy,
): Promise<TestSent> {
  const sent = await sendTestOf(sql, workspaceId, ask.mailboxId, by, () => previewStep(sql, workspaceId, ask, by))
  await recordAudit(sql, workspaceId, {
    action: 'sequence.test-sent',
    actor: by.actor,
    target: { kind: 'sequence', id: ask.sequenceId, name: `step ${ask.stepNumber}` },
    details: { stepNumber: ask.stepNumber, mailboxId: ask.mailboxId },
  })
  return sent
}

/**
 * Sends what is previewed to the person who asks for it, and to nobody else, through the mailbox that would send it: the same
 * writer, the same bytes, the same way. It belongs to no campaign and no program: no key, no place in the queue, no quota.
 */
export async function sendTestOf(
  sql: Sql,
  workspaceId: string,
  mailboxId: string,
  by: TestSendBy,
  preview: () => Promise<Preview>,
): Promise<TestSent> {
  const kind = await kindOfConnected(sql, workspaceId, mailboxId)
  const { rendering, notes } = await preview()
  if (rendering.kind === 'missing-fields')
    throw new PublicError(409, 'missing-fields', missingSentence(rendering.missing), { missing: rendering.missing })
  if (rendering.kind === 'unrenderable') throw new PublicError(409, 'unrenderable', rendering.reason)
  const { content } = rendering
  const subject = `[Test] ${content.subject}`
  const test = { ...content, to: { name: by.person.name, address: by.person.email }, subject }
  // Gmail signs by itself.
  const signed = kind === 'GMAIL' ? [] : [workspaceId]
  const dkim = (await readDkimKeys(sql, by.keyring, signed))(workspaceId, content.from.address)
  if (dkim && 'unreadable' in dkim)
    throw new PublicError(
      409,
      'signing-key-unreadable',
      `The key that signs for ${dkim.domain} cannot be read. Remove the domain and add it again.`,
    )
  const outcome = await handOver(
    await composeMessage(test, dkim),
    await openMailbox(by.providers, { id: mailboxId, kind }),
  )
  if (outcome.kind === 'unknown')
    throw new PublicError(
      502,
      'outcome-unknown',
      `The test may have been sent: ${outcome.reason} Look into your inbox.`,
    )
  if (outcome.kind !== 'accepted') throw new PublicError(502, 'not-sent', `The test was not sent. ${outcome.reason}`)
  return { to: by.person.email, subject, notes }
}

async function kindOfConnected(sql: Sql, workspaceId: string, mailboxId: string): Promise<MailboxKind> {
  const { rows } = await sql.query<{ status: string; kind: MailboxKind }>(
    'SELECT status, kind FROM mailboxes WHERE workspace_id = $1 AND id = $2',
    [workspaceId, mailboxId],
  )
  const [mailbox] = rows
  if (!mailbox) throw notFound()
  if (mailbox.status !== 'CONNECTED')
    throw new PublicError(409, 'mailbox-not-connected', 'This mailbox is not connected; connect it, or choose another.')
  return mailbox.kind
}

async function handOver(message: OutgoingMessage, opened: OpenedTransport): Promise<SendOutcome> {
  if (!opened.ok) return opened.outcome
  const connecting = await opened.transport.connect(CONNECT_MS_MAX)
  if (!connecting.ok) return connecting.outcome
  const { connection } = connecting
  try {
    const prepared = await connection.prepare?.(message, CONNECT_MS_MAX)
    if (prepared && !prepared.ok) return prepared.outcome
    return await connection.submit(message, SUBMIT_MS_MAX, prepared?.draftId)
  } finally {
    connection.close()
  }
}
