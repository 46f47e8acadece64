import { randomUUID } from 'node:crypto'
import { loadProspect } from '#lib/audience/list-prospects.ts'
import { refuseTombstone } from '#lib/audience/prospect.ts'
import { TEST_LINK_TOKEN } from '#lib/audience/prospects/unsubscribe-link.ts'
import { notFound } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { asSent } from '#lib/sequences/inline-styles.ts'
import { fieldsNeeded, missingSentence, type StepTexts } from '#lib/sequences/merge-fields.ts'
import { compileStep } from '#lib/sequences/render.ts'
import { loadSequence } from '#lib/sequences/sequence.ts'
import { composeMessage } from './compose.ts'
import { unsubscribeUrl } from './headers.ts'
import type { Lack } from './lacks.ts'
import { type Recipient, type Rendering, type Sender, writeEmail } from './write-email.ts'

export type PreviewAsk = {
  sequenceId: string
  stepNumber: number
  /** Without one, the person who asks stands in for the recipient. */
  prospectId?: string | undefined
  /** The first that is connected, where none is named. */
  mailboxId?: string | undefined
  /** As they stand in the editor, not saved yet. */
  texts?: Partial<StepTexts> | undefined
  /** Of the thread that the step answers in, as it stands in the editor. */
  threadSubject?: string | undefined
}

/** `notes`: what is not there yet and was filled with a placeholder, in sentences. `lacks`: what of it is set up elsewhere. */
export type Preview = { rendering: Rendering; notes: string[]; lacks: Lack[] }

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
  // A step that is written at this moment is not there yet.
  if (!step && !ask.texts) throw notFound()
  const texts = { ...EMPTY, ...step, ...ask.texts }
  const { sender, notes, lacks } = await readSender(sql, workspaceId, ask.mailboxId, person)
  if (sender.postalAddress === '') {
    sender.postalAddress = '[Your postal address]'
    lacks.push('postal-address')
    notes.push('The workspace has no postal address yet; without one, no campaign can be launched.')
  }
  const recipient = ask.prospectId ? await readRecipient(sql, workspaceId, ask.prospectId) : standIn(person, texts)
  if (!ask.prospectId) notes.unshift('You stand in for the recipient; choose a person to see what they would get.')
  const isFollowUp = ask.stepNumber > 1
  const hasSubject = texts.subject.trim() !== ''
  // Without a subject of its own it answers in the thread of the email before, under the subject that this one began with.
  const opener = steps.findLast(({ stepNumber, subject }) => stepNumber < ask.stepNumber && subject.trim() !== '')
  const subject = hasSubject || !isFollowUp ? texts.subject : (ask.threadSubject ?? opener?.subject ?? '')
  const rendering = writeEmail({
    sender,
    recipient,
    step: compileStep({ ...texts, subject, bodyHtml: asSent(texts.bodyHtml) }),
    unsubscribeUrl: unsubscribeUrl(appUrl, TEST_LINK_TOKEN),
    thread: [],
    messageId: (domain) => `<test.${randomUUID()}@${domain}>`,
    date: await appNow(sql),
  })
  if (isFollowUp && hasSubject)
    notes.push(
      'With a subject of its own this email begins a new thread; leave it empty to answer in the thread of the email before.',
    )
  return { rendering, notes, lacks }
}

async function readRecipient(sql: Sql, workspaceId: string, prospectId: string): Promise<Recipient> {
  const recipient = await loadProspect(sql, workspaceId, prospectId)
  refuseTombstone(recipient)
  return recipient
}

/** The person who asks, with something in every field that the texts name. */
function standIn({ name, email }: { name: string; email: string }, texts: StepTexts): Recipient {
  const [firstName = '', ...others] = name.split(' ')
  const own = fieldsNeeded([texts]).flatMap((field) => (field.startsWith('custom.') ? field.slice(7) : []))
  const customFields = Object.fromEntries(own.map((field) => [field, `[${field}]`]))
  return { email, firstName, lastName: others.join(' ') || '[Last name]', company: '[Company]', customFields }
}

const EMPTY: StepTexts = { subject: '', bodyText: '', bodyHtml: '' }

type Row = { id: string | null; address: string; displayName: string; postalAddress: string }

/** The mailbox that would send it, or the person who asks where none is connected yet. */
export async function readSender(
  sql: Sql,
  workspaceId: string,
  mailboxId: string | undefined,
  person: { name: string; email: string },
): Promise<{ sender: Sender; notes: string[]; lacks: Lack[] }> {
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
  const lacks: Lack[] = []
  if (!row.id) {
    notes.push('No mailbox is connected yet; you stand in for the sender.')
    lacks.push('mailbox')
  }
  return { sender: { ...sender, postalAddress: row.postalAddress.trim() && row.postalAddress }, notes, lacks }
}

/** As the API answers it: with the whole message as bytes show it. */
export async function shownPreview({ rendering, ...beside }: Preview) {
  if (rendering.kind === 'missing-fields')
    return { ...rendering, sentence: missingSentence(rendering.missing), ...beside }
  if (rendering.kind === 'unrenderable') return { kind: rendering.kind, sentence: rendering.reason, ...beside }
  const { from, to, subject, text, html } = rendering.content
  const { raw } = await composeMessage(rendering.content)
  return { kind: rendering.kind, from, to, subject, text, html, raw: raw.toString(), ...beside }
}
