import { unsubscribeSigner } from '#lib/audience/unsubscribe-link.ts'
import type { ClaimedEmail } from '#lib/email-scheduler/claim.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import type { StepTexts } from '#lib/sequences/merge-fields.ts'
import { compileStep, type StepCompiling } from '#lib/sequences/render.ts'
import { messageIdOf, unsubscribeUrl } from './headers.ts'
import { type Recipient, type Rendering, type Sender, unrenderable, writeEmail } from './write-email.ts'

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

/** `…UpdatedAt`: of what it was written from; a field may have been filled in since, or the text may need it no more. */
export type RenderedEmail =
  | Exclude<Rendering, { kind: 'missing-fields' }>
  | (Extract<Rendering, { kind: 'missing-fields' }> & { prospectUpdatedAt: Date; stepUpdatedAt: Date })

/**
 * Writes emails as they will go out. A handful of statements, however many there are; each step is read once for all who
 * get it. What cannot be written says why, and keeps no other from being written.
 */
export async function renderEmails(
  sql: Sql,
  emails: readonly RenderableEmail[],
  by: RenderingBy,
): Promise<Map<string, RenderedEmail>> {
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

  const render = (email: RenderableEmail): RenderedEmail => {
    const { prospectId, sequenceId, stepNumber } = email
    if (prospectId === null || sequenceId === null || stepNumber === null)
      return unrenderable('It belongs to no step of a sequence, so there is nothing to write it from.')
    const sender = senders.get(email.mailboxId)
    const recipient = people.get(prospectId)
    const step = steps.get(placeOf(sequenceId, stepNumber))
    if (!sender || !recipient || !step) return unrenderable('Its mailbox, recipient or step is no longer there.')
    const thread = earlier.get(email.id) ?? []
    const sentSubject = thread[0]?.subject ?? undefined
    // A follow-up stays in the thread, and a thread has one subject: with another, most mail programs begin a new one.
    const began = thread[0]?.stepNumber ?? 1
    const subject = sentSubject === undefined ? (steps.get(placeOf(sequenceId, began))?.subject ?? step.subject) : ''
    const key = `${placeOf(sequenceId, stepNumber)} ${subject}`
    const compiling = compiled.get(key) ?? compileStep({ ...step, subject })
    compiled.set(key, compiling)
    const rendering = writeEmail({
      sender,
      recipient,
      step: compiling,
      subject: sentSubject,
      unsubscribeUrl: unsubscribeUrl(by.appUrl, sign({ workspaceId: email.workspaceId, prospectId })),
      thread: thread.map(({ messageId }) => messageId),
      messageId: (domain) => messageIdOf(email.idempotencyKey, domain),
      date: email.claimedAt,
    })
    if (rendering.kind !== 'missing-fields') return rendering
    return { ...rendering, prospectUpdatedAt: recipient.updatedAt, stepUpdatedAt: step.updatedAt }
  }
  return new Map(emails.map((email) => [email.id, render(email)]))
}

async function readSenders(sql: Sql, emails: readonly RenderableEmail[]): Promise<Map<string, Sender>> {
  const { rows } = await sql.query<Sender & { id: string }>(
    prepared(`SELECT m.id, m.address, m.display_name AS "displayName", coalesce(s.postal_address, '') AS "postalAddress"
     FROM mailboxes m LEFT JOIN sending_settings s ON s.workspace_id = m.workspace_id
     WHERE m.id = ANY($1::uuid[]) AND m.workspace_id = ANY($2::uuid[])`),
    [unique(emails.map(({ mailboxId }) => mailboxId)), unique(emails.map(({ workspaceId }) => workspaceId))],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

async function readPeople(sql: Sql, emails: readonly RenderableEmail[]): Promise<Map<string, Recipient>> {
  const { rows } = await sql.query<Recipient & { id: string }>(
    prepared(`SELECT id, email, first_name AS "firstName", last_name AS "lastName", company, custom_fields AS "customFields",
       updated_at AS "updatedAt"
     FROM prospects WHERE id = ANY($1::uuid[]) AND workspace_id = ANY($2::uuid[])`),
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

type StepRow = StepTexts & { updatedAt: Date }

/** The steps that are written, and those whose subject they go on with. */
async function readSteps(
  sql: Sql,
  emails: readonly RenderableEmail[],
  earlier: ReadonlyMap<string, readonly Earlier[]>,
): Promise<Map<string, StepRow>> {
  const wanted = new Map<string, [string, number]>()
  for (const { id, sequenceId, stepNumber } of emails) {
    if (sequenceId === null || stepNumber === null) continue
    for (const number of [1, stepNumber, earlier.get(id)?.[0]?.stepNumber ?? 1])
      wanted.set(placeOf(sequenceId, number), [sequenceId, number])
  }
  const { rows } = await sql.query<StepRow & { sequenceId: string; stepNumber: number }>(
    prepared(`SELECT s.sequence_id AS "sequenceId", s.step_number AS "stepNumber", s.subject, s.body_text AS "bodyText", s.body_html AS "bodyHtml",
       s.updated_at AS "updatedAt"
     FROM sequence_steps s JOIN sequences q ON q.id = s.sequence_id AND q.workspace_id = ANY($3::uuid[])
     JOIN unnest($1::uuid[], $2::int[]) AS wanted(sequence_id, step_number)
       ON s.sequence_id = wanted.sequence_id AND s.step_number = wanted.step_number`),
    [
      [...wanted.values()].map(([sequenceId]) => sequenceId),
      [...wanted.values()].map(([, stepNumber]) => stepNumber),
      unique(emails.map(({ workspaceId }) => workspaceId)),
    ],
  )
  return new Map(rows.map(({ sequenceId, stepNumber, ...step }) => [placeOf(sequenceId, stepNumber), step]))
}

const placeOf = (sequenceId: string, stepNumber: number) => `${sequenceId} ${stepNumber}`

const unique = (ids: readonly string[]) => [...new Set(ids)]
