import { unsubscribeSigner } from '#lib/audience/prospects/unsubscribe-link.ts'
import type { ClaimedEmail } from '#lib/email-scheduler/send/claim.ts'
import type { WrittenFrom } from '#lib/email-scheduler/send/final-check.ts'
import { SENDER_VERSION } from '#lib/email-scheduler/send/guard-facts.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { amongIds } from '#lib/platform/sql-array.ts'
import type { StepTexts } from '#lib/sequences/merge-fields.ts'
import { compileStep, type StepCompiling } from '#lib/sequences/render.ts'
import { trackHtml } from '#lib/tracking/track-html.ts'
import { trackingKeys } from '#lib/tracking/tracking-keys.ts'
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
  | 'campaignId'
  | 'prospectId'
  | 'sequenceId'
  | 'stepNumber'
  | 'claimedAt'
>

/** With the versions of what it was written from: a field may be filled in, or the text edited, before it is handed over. */
export type RenderedEmail =
  | Extract<Rendering, { kind: 'unrenderable' }>
  | (Exclude<Rendering, { kind: 'unrenderable' }> & { writtenFrom: WrittenFrom })

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
  const steps = await readSteps(sql, emails)
  const sign = await unsubscribeSigner(
    sql,
    by.keyring,
    emails.map(({ workspaceId }) => workspaceId),
  )
  const track = await tracker(sql, emails, by)
  const compiled = new Map<string, StepCompiling>()

  const render = (email: RenderableEmail): RenderedEmail => {
    const { prospectId, sequenceId, stepNumber } = email
    if (prospectId === null || sequenceId === null || stepNumber === null)
      return unrenderable('It belongs to no step of a sequence, so there is nothing to write it from.')
    const sender = senders.get(email.mailboxId)
    const recipient = people.get(prospectId)
    const step = steps.get(placeOf(sequenceId, stepNumber))
    if (!sender || !recipient || !step) return unrenderable('Its mailbox, recipient or step is no longer there.')
    const thread = beginsThread(step) ? [] : threadOf(earlier.get(email.id) ?? [], step)
    // Everything in a thread has the subject that it began with, as it was sent: with another, mail programs begin a new one.
    const sentSubject = thread[0]?.subject ?? undefined
    const subject = sentSubject === undefined ? (step.threadSubject ?? '') : ''
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
    if (rendering.kind === 'unrenderable') return rendering
    return {
      ...track(email, rendering),
      writtenFrom: { prospect: recipient.version, sequence: step.sequenceVersion, sender: sender.version },
    }
  }
  return new Map(emails.map((email) => [email.id, render(email)]))
}

type Track = (email: RenderableEmail, rendering: Exclude<Rendering, { kind: 'unrenderable' }>) => typeof rendering

/** Puts what shows openings and clicks into the HTML of what campaigns that ask for it send. */
async function tracker(sql: Sql, emails: readonly RenderableEmail[], { appUrl, keyring }: RenderingBy): Promise<Track> {
  const campaignIds = unique(emails.flatMap(({ campaignId }) => campaignId ?? []))
  const { rows } = await sql.query<{ id: string; workspaceId: string; opens: boolean; clicks: boolean }>(
    prepared(`SELECT id, workspace_id AS "workspaceId", tracks_opens AS opens, tracks_clicks AS clicks FROM campaigns
     WHERE id = ${amongIds('$1', campaignIds)} AND (tracks_opens OR tracks_clicks)`),
    [campaignIds],
  )
  if (rows.length === 0) return (_, rendering) => rendering
  const campaigns = new Map(rows.map((row) => [row.id, row]))
  const keys = await trackingKeys(sql, keyring, unique(rows.map(({ workspaceId }) => workspaceId)))
  return ({ id, workspaceId, campaignId }, rendering) => {
    const campaign = campaigns.get(campaignId ?? '')
    const key = keys.get(workspaceId)
    if (!campaign || !key || rendering.kind !== 'content' || rendering.content.html === '') return rendering
    const { opens, clicks } = campaign
    const html = trackHtml(rendering.content.html, { key, workspaceId, emailId: id, appUrl, opens, clicks })
    return { ...rendering, content: { ...rendering.content, html } }
  }
}

async function readSenders(
  sql: Sql,
  emails: readonly RenderableEmail[],
): Promise<Map<string, Sender & { version: string }>> {
  const { rows } = await sql.query<Sender & { id: string; version: string }>(
    prepared(`SELECT m.id, m.address, m.display_name AS "displayName", coalesce(s.postal_address, '') AS "postalAddress",
       ${SENDER_VERSION} AS version
     FROM mailboxes m LEFT JOIN sending_settings s ON s.workspace_id = m.workspace_id
     WHERE m.id = ${amongIds('$1', emails)} AND m.workspace_id = ${amongIds('$2', emails)}`),
    [unique(emails.map(({ mailboxId }) => mailboxId)), unique(emails.map(({ workspaceId }) => workspaceId))],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

async function readPeople(
  sql: Sql,
  emails: readonly RenderableEmail[],
): Promise<Map<string, Recipient & { version: string }>> {
  const { rows } = await sql.query<Recipient & { id: string; version: string }>(
    prepared(`SELECT id, email, first_name AS "firstName", last_name AS "lastName", company, custom_fields AS "customFields",
       xmin::text AS version
     FROM prospects WHERE id = ${amongIds('$1', emails)} AND workspace_id = ${amongIds('$2', emails)}`),
    [
      unique(emails.flatMap(({ prospectId }) => prospectId ?? [])),
      unique(emails.map(({ workspaceId }) => workspaceId)),
    ],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** `beganThread`: it was sent as an answer to nothing; null where what was sent is not kept. */
type Earlier = { stepNumber: number; messageId: string | null; subject: string | null; beganThread: boolean | null }

/** What the same enrolment was sent before, oldest first. */
async function readEarlier(sql: Sql, emails: readonly RenderableEmail[]): Promise<Map<string, Earlier[]>> {
  const followUps = emails.filter(({ stepNumber }) => (stepNumber ?? 1) > 1).map(({ id }) => id)
  if (followUps.length === 0) return new Map()
  const { rows } = await sql.query<Earlier & { followUpId: string }>(
    `SELECT e.id AS "followUpId", before.step_number AS "stepNumber", before.message_id AS "messageId", c.subject,
       NOT (c.headers ? 'In-Reply-To') AS "beganThread"
     FROM scheduled_emails e JOIN scheduled_emails before
       ON before.campaign_prospect_id = e.campaign_prospect_id AND before.step_number < e.step_number
     LEFT JOIN email_contents c ON c.email_id = before.id AND c.content_token = before.content_token AND c.erased_at IS NULL
     WHERE e.id = ANY($1::uuid[]) AND before.status = 'SENT'
     ORDER BY e.id, before.step_number`,
    [followUps],
  )
  return Map.groupBy(rows, ({ followUpId }) => followUpId)
}

/**
 * The thread that a follow-up answers in: that of the last email before it. Where a thread began is told by what was sent,
 * since texts may have been changed between two emails; where that is not kept, by the steps as they are.
 */
function threadOf(earlier: readonly Earlier[], { threadBegan }: StepRow): readonly Earlier[] {
  const start = earlier.findLastIndex(
    ({ beganThread, stepNumber }) => beganThread ?? stepNumber <= (threadBegan ?? stepNumber),
  )
  return earlier.slice(Math.max(start, 0))
}

/** `thread…`: the last step up to this one that has a subject of its own. */
type StepRow = StepTexts & { sequenceVersion: string; threadSubject: string | null; threadBegan: number | null }

const beginsThread = ({ subject }: StepTexts) => subject.trim() !== ''

async function readSteps(sql: Sql, emails: readonly RenderableEmail[]): Promise<Map<string, StepRow>> {
  const wanted = new Map<string, [string, number]>()
  for (const { sequenceId, stepNumber } of emails)
    if (sequenceId !== null && stepNumber !== null)
      wanted.set(placeOf(sequenceId, stepNumber), [sequenceId, stepNumber])
  const { rows } = await sql.query<StepRow & { sequenceId: string; stepNumber: number }>(
    prepared(`SELECT s.sequence_id AS "sequenceId", s.step_number AS "stepNumber", s.subject, s.body_text AS "bodyText",
       coalesce(s.inlined_html, s.body_html) AS "bodyHtml",
       q.xmin::text AS "sequenceVersion", opener.subject AS "threadSubject", opener.step_number AS "threadBegan"
     FROM sequence_steps s JOIN sequences q ON q.id = s.sequence_id AND q.workspace_id = ANY($3::uuid[])
     JOIN unnest($1::uuid[], $2::int[]) AS wanted(sequence_id, step_number)
       ON s.sequence_id = wanted.sequence_id AND s.step_number = wanted.step_number
     LEFT JOIN LATERAL (
       SELECT o.subject, o.step_number FROM sequence_steps o
       WHERE o.sequence_id = s.sequence_id AND o.step_number <= s.step_number AND o.subject ~ '\\S'
       ORDER BY o.step_number DESC LIMIT 1) opener ON true`),
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
