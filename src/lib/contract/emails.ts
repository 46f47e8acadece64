import { z } from 'zod'
import { EMAIL_RESULTS } from '#lib/email-scheduler/transactional/email-result.ts'
import { INVITATION_METHODS } from '#lib/mail/message/parts.ts'
import { operation } from './operation.ts'
import { previewOutput, textName, textProblem, textsInput, writtenTexts } from './sequences.ts'
import {
  addressText,
  archivedField,
  done,
  emailStatus,
  idParams,
  idText,
  instant,
  pageFields,
  searchInput,
} from './shared.ts'

const MEGABYTE = 1024 * 1024
/** As most servers take them, encoded and with the rest of the message. */
const ATTACHED_BYTES_MAX = 25 * MEGABYTE
/** Base64 takes four thirds, and the texts come on top. */
const BODY_BYTES_MAX = 40 * MEGABYTE
const BATCH_MAX = 500

const oneLine = (what: string, lengthMax: number) =>
  z
    .string()
    .max(lengthMax, `${what} has at most ${lengthMax} characters.`)
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u, `${what} is one line of text.`)

const recipient = z.union([
  addressText.transform((address) => ({ address, name: '' })),
  z.object({ address: addressText, name: oneLine('A name', 200).default('') }),
])

/** Of headers that say how a program should treat the message; never one that says who it is from or to. */
const SETTABLE = [
  'list-unsubscribe',
  'list-unsubscribe-post',
  'auto-submitted',
  'precedence',
  'in-reply-to',
  'references',
]
/** In either case letter by letter, and not by a flag: the API's document knows no flags. */
const inAnyCase = (name: string) => name.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
const HEADER = new RegExp(`^([xX]-[A-Za-z0-9-]{1,70}|${SETTABLE.map(inAnyCase).join('|')})$`)

/** Written as they are, since no reader would decode them. */
const OF_THREADS = /^(in-reply-to|references)$/i
const MESSAGE_IDS = /^[\x20-\x7e]*$/

const headers = z
  .record(
    z
      .string()
      .regex(HEADER, 'Only X-…, List-Unsubscribe, Auto-Submitted, Precedence, In-Reply-To and References can be set.'),
    oneLine('A header', 900),
  )
  .refine(
    (given) => Object.entries(given).every(([name, value]) => !OF_THREADS.test(name) || MESSAGE_IDS.test(value)),
    'In-Reply-To and References name messages by their ids, like <4711@example.com>.',
  )
  .refine((given) => Object.keys(given).length <= 20, 'At most 20 headers are possible.')
  .default({})

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
/** Asked of what may be no base64 at all, so by no expression that would try anew at each sign of a long text. */
const paddingOf = (base64: string) => (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0)
const bytesIn = (base64: string) => Math.floor((base64.length * 3) / 4) - paddingOf(base64)

/** What stands under these types may not be encoded, and not every server takes it as it is. */
const UNENCODED = /^(message|multipart)\//i

const attachment = z.object({
  fileName: oneLine('A file name', 200).min(1),
  contentType: z
    .string()
    .max(100)
    .regex(/^[\w.+-]+\/[\w.+-]+$/, 'A media type looks like application/pdf.')
    .refine((type) => !UNENCODED.test(type), 'Attach a message as a file, with the type application/octet-stream.')
    .default('application/octet-stream'),
  /** Base64, in one line. */
  content: z
    .string()
    .max(BODY_BYTES_MAX)
    .refine((text) => text.length % 4 === 0 && BASE64.test(text), 'The content is base64, in one line.'),
})

const calendar = z
  .object({
    method: z.enum(INVITATION_METHODS, { error: 'The method is REQUEST or CANCEL.' }),
    /** iCalendar, as RFC 5545 has it. */
    content: z.string().max(256 * 1024),
    fileName: oneLine('A file name', 200).min(1).default('invite.ics'),
  })
  .refine(
    ({ content }) => /^BEGIN:VCALENDAR\r?\n[\s\S]*\nEND:VCALENDAR\s*$/.test(content),
    'A calendar begins with BEGIN:VCALENDAR and ends with END:VCALENDAR.',
  )
  .refine(
    ({ method, content }) => new RegExp(`\\nMETHOD:${method}\\r?\\n`).test(content),
    'The calendar names its method, and the same one: METHOD:REQUEST or METHOD:CANCEL.',
  )

/** Those that the email itself does not know. Spelt out, since the API's document has to say it. */
const FIELD = /^(firstName|lastName|company|custom\.[A-Za-z0-9][\w-]{0,63})$/

const fieldValues = z
  .record(
    z
      .string()
      .regex(
        FIELD,
        'A field is named as in the template: firstName, lastName, company, or custom.<name> for your own.',
      ),
    z.string().max(1_000, 'What a field says has at most 1,000 characters.'),
  )
  .refine((given) => Object.keys(given).length <= 100, 'At most 100 fields are possible.')
  .default({})

const emailFields = z.object({
  /** One address, alone or with a name. */
  to: recipient,
  /** A text of the workspace in the place of subject, text and html, with what its fields say. */
  template: z.object({ name: oneLine('A name', 100).min(1), fields: fieldValues }).optional(),
  subject: oneLine('A subject', 500).min(1, 'An email needs a subject.').optional(),
  text: z.string().max(MEGABYTE).default(''),
  html: z.string().max(MEGABYTE).default(''),
  /** They get it as well, and nobody sees it. */
  bcc: z.array(addressText).max(20, 'At most 20 blind copies are possible.').default([]),
  /** Measured before it is looked at: what tells an address from other text has no room for megabytes of one. */
  replyTo: z
    .string()
    .max(254, { error: 'An address has at most 254 characters.', abort: true })
    .check(z.email('Answers go to one email address.'))
    .optional(),
  headers,
  attachments: z.array(attachment).max(20).default([]),
  /** Shown as an invitation, or as its end, by mail programs. */
  calendar: calendar.optional(),
  /** The address or id of one of the workspace’s mailboxes; else the oldest that is connected. */
  mailbox: addressText.optional(),
  sendAt: instant.optional(),
})

type Attached = { attachments: readonly { content: string }[] }
const fits = (emails: readonly Attached[]) =>
  emails.flatMap(({ attachments }) => attachments).reduce((sum, { content }) => sum + bytesIn(content), 0) <=
  ATTACHED_BYTES_MAX
const TOO_LARGE = 'The attachments have more than 25 MB in all.'

const emailBody = emailFields
  .refine(({ template, subject }) => template || subject !== undefined, {
    path: ['subject'],
    error: 'An email needs a subject, or a template.',
  })
  .refine(({ template, text, html }) => template || text !== '' || html !== '', {
    path: ['text'],
    error: 'An email needs a text or HTML, or a template.',
  })
  .refine(({ template, subject, text, html }) => !template || (subject === undefined && text === '' && html === ''), {
    path: ['template'],
    error: 'The template holds subject and texts: leave out subject, text and html.',
  })
  .refine((email) => fits([email]), { path: ['attachments'], error: TOO_LARGE })

const BOOKED = {
  to: { address: 'ada@example.com', name: 'Ada Example' },
  subject: 'Your table is booked',
  text: 'We look forward to seeing you on Friday at 19:00.',
}

const moment = z.date()

const emailOutput = z
  .object({
    id: z.string(),
    /** What a program needs to know. `unknown`: it may have been sent, and is never sent again on a guess. */
    result: z.enum(EMAIL_RESULTS),
    status: emailStatus,
    sentence: z.string(),
    to: z.string().nullable(),
    bcc: z.array(z.string()),
    subject: z.string().nullable(),
    mailbox: z.string(),
    scheduledFor: moment,
    nextRetryAt: moment.nullable(),
    sentAt: moment.nullable(),
    attempts: z.number(),
    lastError: z.string().nullable(),
    lastErrorCode: z.string().nullable(),
    messageId: z.string().nullable(),
    createdAt: moment,
  })
  .meta({ id: 'Email' })

const refusal = z.object({ code: z.string(), message: z.string() })

export const emails = {
  list: operation({
    method: 'GET',
    path: '/api/emails',
    summary: 'The transactional emails of the workspace, newest first.',
    access: 'member',
    scopes: ['read', 'send'],
    query: z.object({ ...pageFields, status: emailStatus.optional() }),
    output: z.object({ emails: z.array(emailOutput), nextCursor: z.string().nullable() }),
  }),

  send: operation({
    method: 'POST',
    path: '/api/emails',
    summary: 'Sends one email at once, or at a time; what cannot go now is kept and sent later.',
    access: 'member',
    body: emailBody,
    example: { ...BOOKED, html: '<p>We look forward to seeing you on <b>Friday at 19:00</b>.</p>' },
    bodyBytesMax: BODY_BYTES_MAX,
    findsItsOwn: true,
    makes: { at: '/api/emails/[id]', unless: 'wasThere' },
    /** `wasThere`: the key had been used for the same email before, and nothing was done. */
    output: emailOutput.extend({ wasThere: z.boolean() }),
  }),

  sendMany: operation({
    method: 'POST',
    path: '/api/emails/batch',
    summary:
      'Sends up to 500 emails; each has an answer of its own, in their order. Where one is not of this form, none is sent, and the refusal names what is wrong by its place, like emails.3.subject.',
    access: 'member',
    body: z
      .object({ emails: z.array(emailBody).min(1, 'There is no email in this batch.').max(BATCH_MAX) })
      .refine(({ emails }) => fits(emails), { path: ['emails'], error: TOO_LARGE }),
    bodyBytesMax: BODY_BYTES_MAX,
    findsItsOwn: true,
    example: { emails: [BOOKED, { ...BOOKED, to: 'ben@example.com', sendAt: '2026-11-20T09:00:00+01:00' }] },
    output: z.object({
      emails: z.array(z.object({ email: emailOutput.nullable(), error: refusal.nullable() })),
    }),
  }),

  read: operation({
    method: 'GET',
    path: '/api/emails/[id]',
    summary: 'One transactional email as it is now.',
    access: 'member',
    scopes: ['read', 'send'],
    params: idParams,
    output: emailOutput,
  }),

  cancel: operation({
    method: 'POST',
    path: '/api/emails/[id]/cancel',
    summary: 'Cancels a transactional email that waits. What is being handed over or was sent cannot be taken back.',
    access: 'member',
    params: idParams,
    output: emailOutput,
  }),
}

const summaryFields = {
  id: z.string(),
  name: z.string(),
  subject: z.string(),
  archivedAt: z.date().nullable(),
  version: z.number(),
  createdAt: z.date(),
  updatedAt: z.date(),
}

const templateOutput = z
  .object({
    ...summaryFields,
    bodyText: z.string(),
    bodyHtml: z.string(),
    /** What a call has to give; fields with a fallback everywhere, and those that the email knows itself, are not among them. */
    fieldsNeeded: z.array(z.string()),
    /** What keeps it from being sent. */
    problems: z.array(textProblem),
  })
  .meta({ id: 'Template' })

/** As it stands in the editor, saved or not, and what its fields would say. */
const previewAsk = { texts: textsInput.optional(), fields: fieldValues }

export const templates = {
  list: operation({
    method: 'GET',
    path: '/api/templates',
    summary: 'The templates of the workspace, newest first.',
    access: 'member',
    query: z.object({ ...pageFields, ...archivedField, search: searchInput }),
    output: z.object({ templates: z.array(z.object(summaryFields)), nextCursor: z.string().nullable() }),
  }),

  create: operation({
    method: 'POST',
    path: '/api/templates',
    summary: 'Writes a template. What is wrong with its texts is told, and keeps it from being sent.',
    access: 'member',
    body: z.object({
      name: textName,
      subject: writtenTexts.subject.default(''),
      bodyText: writtenTexts.bodyText.default(''),
      bodyHtml: writtenTexts.bodyHtml.default(''),
    }),
    example: {
      name: 'Table booked',
      subject: 'Your table on {{custom.day}}',
      bodyText: 'Hello {{firstName | "there"}},\n\nwe look forward to seeing you on {{custom.day}}.',
    },
    makes: { at: '/api/templates/[id]' },
    output: templateOutput,
  }),

  read: operation({
    method: 'GET',
    path: '/api/templates/[id]',
    summary: 'One template.',
    access: 'member',
    params: idParams,
    versioned: 'version',
    output: templateOutput,
  }),

  edit: operation({
    method: 'PATCH',
    path: '/api/templates/[id]',
    summary:
      'Renames a template, writes it anew, or takes it out of the archive. What was asked for before stays as it was.',
    access: 'member',
    params: idParams,
    body: textsInput.extend({ name: textName.optional(), archived: z.boolean().optional() }),
    versioned: 'version',
    output: templateOutput,
  }),

  archive: operation({
    method: 'DELETE',
    path: '/api/templates/[id]',
    summary: 'Archives a template. Calls that name it are refused from then on.',
    access: 'member',
    params: idParams,
    output: done,
  }),

  restore: operation({
    method: 'POST',
    path: '/api/templates/[id]/restore',
    summary:
      'Brings a template back from the archive. Where another has its name by now, PATCH it with archived: false and a new name.',
    access: 'member',
    params: idParams,
    output: templateOutput,
  }),

  preview: operation({
    method: 'POST',
    path: '/api/templates/[id]/preview',
    summary: 'A template as you would get it, with the texts that are saved or those that come along. Nothing is kept.',
    access: 'member',
    params: idParams,
    body: z.object({ ...previewAsk, mailboxId: idText.optional() }),
    output: previewOutput,
  }),

  testSend: operation({
    method: 'POST',
    path: '/api/templates/[id]/test-send',
    peopleOnly: true,
    refuses: [502],
    summary: 'Sends a template to your own address. Counts towards nothing.',
    access: 'member',
    params: idParams,
    body: z.object({ ...previewAsk, mailboxId: idText }),
    output: z.object({ to: z.string(), subject: z.string(), notes: z.array(z.string()) }),
  }),
}
