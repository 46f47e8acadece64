import { readAddress } from '#lib/audience/address.ts'
import type { CustomValue } from '#lib/audience/fields.ts'
import { unsubscribeSigner } from '#lib/audience/unsubscribe-link.ts'
import type { ClaimedEmail } from '#lib/email-scheduler/claim.ts'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import type { StepTexts } from '#lib/sequences/merge-fields.ts'
import { compileStep, type MergeValues, oneLine, renderStep, type StepCompiling } from '#lib/sequences/render.ts'
import { messageIdOf, threadHeaders, unsubscribeHeaders, unsubscribeUrl } from './headers.ts'

export type Rendering =
  /** `prospectUpdatedAt`: as who it was written to; whoever was changed since has to be looked at again. */
  | { kind: 'content'; content: EmailContent; prospectUpdatedAt: Date }
  | { kind: 'missing-fields'; missing: string[] }
  | { kind: 'unrenderable'; reason: string }

export type RenderingBy = {
  appUrl: string
  keyring: Keyring
}

/** What has to be known of an email to write it; a claimed one has it, and so has a preview. */
export type RenderableEmail = Pick<
  ClaimedEmail,
  | 'id'
  | 'workspaceId'
  | 'kind'
  | 'idempotencyKey'
  | 'mailboxId'
  | 'prospectId'
  | 'sequenceId'
  | 'stepNumber'
  | 'claimedAt'
>

/**
 * Writes emails as they will go out. A handful of statements, however many there are; each step is read once for all who
 * get it. What cannot be written says why, and keeps no other from being written.
 */
export async function renderEmails(
  sql: Sql,
  emails: readonly RenderableEmail[],
  by: RenderingBy,
): Promise<Map<string, Rendering>> {
  if (emails.length === 0) return new Map()
  const senders = await readSenders(sql, emails)
  const people = await readPeople(sql, emails)
  const earlier = await readEarlier(sql, emails)
  const steps = await readSteps(sql, emails, earlier)
  const sign = await unsubscribeSigner(
    sql,
    by.keyring,
    emails.map(({ workspaceId }) => workspaceId),
  )
  const compiled = new Map<string, StepCompiling>()

  const render = (email: RenderableEmail): Rendering => {
    const { prospectId, sequenceId, stepNumber } = email
    if (prospectId === null || sequenceId === null || stepNumber === null)
      return unrenderable('It belongs to no step of a sequence, so there is nothing to write it from.')
    const sender = senders.get(email.mailboxId)
    const person = people.get(prospectId)
    const step = steps.get(placeOf(sequenceId, stepNumber))
    if (!sender || !person || !step) return unrenderable('Its mailbox, recipient or step is no longer there.')
    const to = readAddress(person.email ?? '')
    if (!to.ok) return unrenderable(person.email ? `The recipient’s address cannot be used. ${to.reason}` : ERASED)
    const from = readAddress(sender.address)
    if (!from.ok) return unrenderable(`The mailbox’s address cannot be used. ${from.reason}`)
    if (sender.postalAddress.trim() === '') return unrenderable(NO_POSTAL_ADDRESS)

    const thread = earlier.get(email.id) ?? []
    const sentSubject = thread[0]?.subject ?? undefined
    // A follow-up stays in the thread, and a thread has one subject: with another, most mail programs begin a new one.
    const began = thread[0]?.stepNumber ?? 1
    const subject = sentSubject === undefined ? (steps.get(placeOf(sequenceId, began))?.subject ?? step.subject) : ''
    const key = `${placeOf(sequenceId, stepNumber)} ${subject}`
    const compiling = compiled.get(key) ?? compileStep({ ...step, subject })
    compiled.set(key, compiling)
    if (!compiling.ok) return unrenderable(compiling.errors.map(({ sentence }) => sentence).join(' '))

    const url = unsubscribeUrl(by.appUrl, sign({ workspaceId: email.workspaceId, prospectId }))
    const footer = { postalAddress: sender.postalAddress, unsubscribeUrl: url }
    const rendered = renderStep(compiling.step, valuesOf(person, sender), footer)
    if (rendered.kind !== 'content') return rendered
    const content: EmailContent = {
      from: { name: oneLine(sender.displayName), address: sender.address },
      to: { name: oneLine([person.firstName, person.lastName].filter(Boolean).join(' ')), address: to.address },
      subject: sentSubject ?? rendered.subject,
      text: rendered.text,
      html: rendered.html,
      messageId: messageIdOf(email.idempotencyKey, from.domain),
      date: email.claimedAt,
      headers: { ...threadHeaders(thread.map(({ messageId }) => messageId)), ...unsubscribeHeaders(url) },
    }
    if (content.subject === '') return unrenderable('The email has no subject.')
    return { kind: 'content', content, prospectUpdatedAt: person.updatedAt }
  }
  return new Map(emails.map((email) => [email.id, render(email)]))
}

const ERASED = 'The recipient’s data was erased, so there is no address to send to.'
const NO_POSTAL_ADDRESS = 'The workspace has no postal address, which every campaign email must show; enter it.'

const unrenderable = (reason: string): Rendering => ({ kind: 'unrenderable', reason })

type Sender = { address: string; displayName: string; postalAddress: string }

async function readSenders(sql: Sql, emails: readonly RenderableEmail[]): Promise<Map<string, Sender>> {
  const { rows } = await sql.query<Sender & { id: string }>(
    `SELECT m.id, m.address, m.display_name AS "displayName", coalesce(s.postal_address, '') AS "postalAddress"
     FROM mailboxes m LEFT JOIN sending_settings s ON s.workspace_id = m.workspace_id
     WHERE m.id = ANY($1::uuid[]) AND m.workspace_id = ANY($2::uuid[])`,
    [unique(emails.map(({ mailboxId }) => mailboxId)), unique(emails.map(({ workspaceId }) => workspaceId))],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

type Recipient = {
  email: string | null
  firstName: string | null
  lastName: string | null
  company: string | null
  customFields: Record<string, CustomValue>
  updatedAt: Date
}

async function readPeople(sql: Sql, emails: readonly RenderableEmail[]): Promise<Map<string, Recipient>> {
  const { rows } = await sql.query<Recipient & { id: string }>(
    `SELECT id, email, first_name AS "firstName", last_name AS "lastName", company, custom_fields AS "customFields",
       updated_at AS "updatedAt"
     FROM prospects WHERE id = ANY($1::uuid[]) AND workspace_id = ANY($2::uuid[])`,
    [
      unique(emails.flatMap(({ prospectId }) => prospectId ?? [])),
      unique(emails.map(({ workspaceId }) => workspaceId)),
    ],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

type Earlier = { stepNumber: number; messageId: string | null; subject: string | null }

/** What the same enrolment was sent before, oldest first: the thread. */
async function readEarlier(sql: Sql, emails: readonly RenderableEmail[]): Promise<Map<string, Earlier[]>> {
  const followUps = emails.filter(({ stepNumber }) => (stepNumber ?? 1) > 1).map(({ id }) => id)
  if (followUps.length === 0) return new Map()
  const { rows } = await sql.query<Earlier & { followUpId: string }>(
    `SELECT e.id AS "followUpId", before.step_number AS "stepNumber", before.message_id AS "messageId", c.subject
     FROM scheduled_emails e JOIN scheduled_emails before
       ON before.campaign_prospect_id = e.campaign_prospect_id AND before.step_number < e.step_number
     LEFT JOIN email_contents c ON c.email_id = before.id AND c.content_token = before.content_token AND c.erased_at IS NULL
     WHERE e.id = ANY($1::uuid[]) AND before.status = 'SENT'
     ORDER BY e.id, before.step_number`,
    [followUps],
  )
  return Map.groupBy(rows, ({ followUpId }) => followUpId)
}

/** The steps that are written, and those whose subject they go on with. */
async function readSteps(
  sql: Sql,
  emails: readonly RenderableEmail[],
  earlier: ReadonlyMap<string, readonly Earlier[]>,
): Promise<Map<string, StepTexts>> {
  const wanted = new Map<string, [string, number]>()
  for (const { id, sequenceId, stepNumber } of emails) {
    if (sequenceId === null || stepNumber === null) continue
    for (const number of [1, stepNumber, earlier.get(id)?.[0]?.stepNumber ?? 1])
      wanted.set(placeOf(sequenceId, number), [sequenceId, number])
  }
  const { rows } = await sql.query<StepTexts & { sequenceId: string; stepNumber: number }>(
    `SELECT s.sequence_id AS "sequenceId", s.step_number AS "stepNumber", s.subject, s.body_text AS "bodyText", s.body_html AS "bodyHtml"
     FROM sequence_steps s JOIN sequences q ON q.id = s.sequence_id AND q.workspace_id = ANY($3::uuid[])
     JOIN unnest($1::uuid[], $2::int[]) AS wanted(sequence_id, step_number)
       ON s.sequence_id = wanted.sequence_id AND s.step_number = wanted.step_number`,
    [
      [...wanted.values()].map(([sequenceId]) => sequenceId),
      [...wanted.values()].map(([, stepNumber]) => stepNumber),
      unique(emails.map(({ workspaceId }) => workspaceId)),
    ],
  )
  return new Map(
    rows.map(({ sequenceId, stepNumber, subject, bodyText, bodyHtml }) => [
      placeOf(sequenceId, stepNumber),
      { subject, bodyText, bodyHtml },
    ]),
  )
}

const placeOf = (sequenceId: string, stepNumber: number) => `${sequenceId} ${stepNumber}`

function valuesOf(person: Recipient, sender: Sender): MergeValues {
  const values = new Map<string, string>()
  const put = (field: string, value: string | null) => {
    if (value !== null) values.set(field, value)
  }
  put('firstName', person.firstName)
  put('lastName', person.lastName)
  put('company', person.company)
  put('email', person.email)
  put('senderName', sender.displayName.trim() || sender.address)
  put('senderAddress', sender.address)
  for (const [name, value] of Object.entries(person.customFields)) put(`custom.${name}`, String(value))
  return values
}

const unique = (ids: readonly string[]) => [...new Set(ids)]
