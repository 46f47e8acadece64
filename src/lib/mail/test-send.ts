import type { Refused, SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { missingSentence } from '#lib/sequences/merge-fields.ts'
import { recordAudit } from '#lib/tenancy/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { composeMessage } from './compose.ts'
import { readDkimKeys } from './dkim-keys.ts'
import { type PreviewAsk, previewStep } from './preview.ts'
import type { MailTransport, OutgoingMessage } from './transport.ts'

export type OpenTransport = (
  mailboxId: string,
) => Promise<{ ok: true; transport: MailTransport } | { ok: false; outcome: Refused }>

export type TestSendBy = {
  appUrl: string
  keyring: Keyring
  person: { name: string; email: string }
  actor: Actor
  openTransport: OpenTransport
}

const CONNECT_MS_MAX = 15_000
const SUBMIT_MS_MAX = 30_000

/**
 * Sends a step to whoever asks for it, and to nobody else, through the mailbox that would send it: the same writer, the
 * same bytes, the same way. It belongs to no campaign: no key, no place in the queue, no quota.
 */
export async function sendTest(
  sql: Sql,
  workspaceId: string,
  ask: PreviewAsk & { mailboxId: string },
  by: TestSendBy,
): Promise<{ to: string; subject: string; notes: string[] }> {
  await assertConnected(sql, workspaceId, ask.mailboxId)
  const { rendering, notes } = await previewStep(sql, workspaceId, ask, by)
  if (rendering.kind === 'missing-fields')
    throw new PublicError(409, 'missing-fields', missingSentence(rendering.missing), { missing: rendering.missing })
  if (rendering.kind === 'unrenderable') throw new PublicError(409, 'unrenderable', rendering.reason)
  const { content } = rendering
  const subject = `[Test] ${content.subject}`
  const test = { ...content, to: { name: by.person.name, address: by.person.email }, subject }
  const dkim = (await readDkimKeys(sql, by.keyring, [workspaceId]))(workspaceId, content.from.address)
  const outcome = await handOver(await composeMessage(test, dkim), ask.mailboxId, by.openTransport)
  if (outcome.kind === 'unknown')
    throw new PublicError(
      502,
      'outcome-unknown',
      `The test may have been sent: ${outcome.reason} Look into your inbox.`,
    )
  if (outcome.kind !== 'accepted') throw new PublicError(502, 'not-sent', `The test was not sent. ${outcome.reason}`)
  await recordAudit(sql, workspaceId, {
    action: 'sequence.test-sent',
    actor: by.actor,
    target: { kind: 'sequence', id: ask.sequenceId, name: `step ${ask.stepNumber}` },
    details: { stepNumber: ask.stepNumber, mailboxId: ask.mailboxId },
  })
  return { to: by.person.email, subject, notes }
}

async function assertConnected(sql: Sql, workspaceId: string, mailboxId: string): Promise<void> {
  const { rows } = await sql.query<{ status: string }>(
    'SELECT status FROM mailboxes WHERE workspace_id = $1 AND id = $2',
    [workspaceId, mailboxId],
  )
  const status = rows[0]?.status
  if (!status) throw notFound()
  if (status !== 'CONNECTED')
    throw new PublicError(409, 'mailbox-not-connected', 'This mailbox is not connected; connect it, or choose another.')
}

async function handOver(
  message: OutgoingMessage,
  mailboxId: string,
  openTransport: OpenTransport,
): Promise<SendOutcome> {
  const opened = await openTransport(mailboxId)
  if (!opened.ok) return opened.outcome
  const connecting = await opened.transport.connect(CONNECT_MS_MAX)
  if (!connecting.ok) return connecting.outcome
  try {
    return await connecting.connection.submit(message, SUBMIT_MS_MAX)
  } finally {
    connecting.connection.close()
  }
}
