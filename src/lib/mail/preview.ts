import { randomUUID } from 'node:crypto'
import { loadProspect } from '#lib/audience/list-prospects.ts'
import { refuseTombstone } from '#lib/audience/prospect.ts'
import { TEST_LINK_TOKEN } from '#lib/audience/unsubscribe-link.ts'
import { notFound } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { StepTexts } from '#lib/sequences/merge-fields.ts'
import { compileStep } from '#lib/sequences/render.ts'
import { loadSequence } from '#lib/sequences/sequence.ts'
import { unsubscribeUrl } from './headers.ts'
import { type Rendering, type Sender, writeEmail } from './write-email.ts'

export type PreviewAsk = {
  sequenceId: string
  stepNumber: number
  prospectId: string
  /** The first that is connected, where none is named. */
  mailboxId?: string | undefined
  /** As they stand in the editor, not saved yet. */
  texts?: Partial<StepTexts> | undefined
}

/** `notes`: what is not there yet and was filled with a placeholder, in sentences. */
export type Preview = { rendering: Rendering; notes: string[] }

/**
 * A step as a real prospect would get it, written by what writes the real emails. Nothing is kept and nothing is counted,
 * and the link at its end is that of a test: a preview is not for the recipient to leave by.
 */
export async function previewStep(
  sql: Sql,
  workspaceId: string,
  ask: PreviewAsk,
  { appUrl, person }: { appUrl: string; person: { name: string; email: string } },
): Promise<Preview> {
  const { steps } = await loadSequence(sql, workspaceId, ask.sequenceId)
  const step = steps.find(({ stepNumber }) => stepNumber === ask.stepNumber)
  if (!step) throw notFound()
  const texts = { ...step, ...ask.texts }
  const recipient = await loadProspect(sql, workspaceId, ask.prospectId)
  refuseTombstone(recipient)
  const { sender, notes } = await readSender(sql, workspaceId, ask.mailboxId, person)
  const first = steps[0]
  const isFollowUp = first !== undefined && first !== step
  const rendering = writeEmail({
    sender,
    recipient,
    // A follow-up goes on under the subject of the first email.
    step: compileStep(isFollowUp ? { ...texts, subject: first.subject } : texts),
    unsubscribeUrl: unsubscribeUrl(appUrl, TEST_LINK_TOKEN),
    thread: [],
    messageId: (domain) => `<test.${randomUUID()}@${domain}>`,
    date: await appNow(sql),
  })
  if (isFollowUp && texts.subject.trim() !== '' && texts.subject !== first.subject)
    notes.push(
      'A follow-up stays in the thread of the first email and goes out under its subject; the one written here is not used.',
    )
  return { rendering, notes }
}

type Row = { id: string | null; address: string; displayName: string; postalAddress: string }

async function readSender(
  sql: Sql,
  workspaceId: string,
  mailboxId: string | undefined,
  person: { name: string; email: string },
): Promise<{ sender: Sender; notes: string[] }> {
  const { rows } = await sql.query<Row>(
    `SELECT m.id, m.address, m.display_name AS "displayName", coalesce(s.postal_address, '') AS "postalAddress"
     FROM workspaces w LEFT JOIN sending_settings s ON s.workspace_id = w.id LEFT JOIN mailboxes m ON m.workspace_id = w.id
       AND CASE WHEN $2::uuid IS NULL THEN m.status = 'CONNECTED' ELSE m.id = $2 END
     WHERE w.id = $1 ORDER BY m.id LIMIT 1`,
    [workspaceId, mailboxId ?? null],
  )
  const row = rows[0]
  if (!row || (mailboxId && !row.id)) throw notFound()
  const notes: string[] = []
  const sender = row.id
    ? { address: row.address, displayName: row.displayName }
    : { address: person.email, displayName: person.name }
  if (!row.id) notes.push('No mailbox is connected yet; you stand in for the sender.')
  const hasAddress = row.postalAddress.trim() !== ''
  if (!hasAddress) notes.push('The workspace has no postal address yet; without one, no campaign can be launched.')
  return { sender: { ...sender, postalAddress: hasAddress ? row.postalAddress : '[Your postal address]' }, notes }
}
