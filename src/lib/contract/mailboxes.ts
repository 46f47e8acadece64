import { z } from 'zod'
import { readAddress } from '#lib/audience/address.ts'
import { FINDING_STATES } from '#lib/mail/domains/findings.ts'
import { GMAIL_WISHES } from '#lib/mail/gmail/scopes.ts'
import { SMTP_SECURITIES } from '#lib/mail/smtp/smtp-server.ts'
import { TEST_STAGES, TEST_STEPS } from '#lib/mail/smtp/test-steps.ts'
import { operation } from './operation.ts'
import { archivedField, done, idParams, idText } from './shared.ts'

const wholeNumber = (what: string, min: number, max: number) => {
  const error = `${what} is a whole number from ${min} to ${max}.`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

/** One line that no server reads as two. */
const oneLine = (what: string, max: number) =>
  z
    .string()
    .trim()
    .max(max, `${what} has at most ${max} characters.`)
    .regex(/^[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u, `${what} is one line of plain text.`)

const addressInput = z.string().transform((text, context) => {
  const reading = readAddress(text)
  if (reading.ok) return reading.address
  context.addIssue({ code: 'custom', message: reading.reason })
  return z.NEVER
})

const smtpInput = z.object({
  host: z
    .string()
    .trim()
    .toLowerCase()
    .max(253, 'A host name has at most 253 characters.')
    .regex(/^[a-z0-9.:-]+$/, 'The server is a host name like smtp.example.com, without smtp:// and without a port.'),
  port: wholeNumber('The port', 1, 65_535),
  security: z.enum(SMTP_SECURITIES, { error: 'The encryption is STARTTLS, TLS or NONE.' }),
  username: oneLine('The user name', 320)
    .transform((name) => name || null)
    .nullable(),
  password: z
    .string()
    .min(1, 'The password is empty.')
    .max(1_000, 'The password has at most 1000 characters.')
    .regex(/^[^\0\r\n]*$/, 'The password is one line.')
    .optional(),
})

const mailboxFields = {
  displayName: oneLine('The name', 100).optional(),
  dailyLimit: wholeNumber('The daily limit', 1, 100_000).optional(),
  rollingLimit: wholeNumber('The limit over 24 hours', 1, 100_000).optional(),
}

/** Untested, it is kept and stopped. */
const testInput = z.boolean().default(true)

/** Whether the test hands a message over as well: to the person who asks, and to nobody else. */
const testMessageInput = z.boolean().default(false)

/** Told as a test comes to each step, to those who accept lines. */
const testProgress = z.object({ step: z.enum(TEST_STEPS) })

const mailboxOutput = z
  .object({
    id: z.string(),
    address: z.string(),
    displayName: z.string(),
    kind: z.enum(['SMTP', 'GMAIL']),
    status: z.enum(['CONNECTED', 'STOPPED', 'ARCHIVED']),
    stoppedReason: z.string().nullable(),
    deferredUntil: z.date().nullable(),
    deferredReason: z.string().nullable(),
    dailyLimit: z.number(),
    rollingLimit: z.number(),
    version: z.number(),
    createdAt: z.date(),
    /** What keeps it from sending, in plain words, and the provider's own where they are known. */
    trouble: z.object({ sentence: z.string(), providerText: z.string().nullable() }).nullable(),
    smtp: z
      .object({
        host: z.string(),
        port: z.number(),
        security: z.enum(SMTP_SECURITIES),
        username: z.string().nullable(),
      })
      .nullable(),
    /** Of a Gmail mailbox that is connected to its Google account. */
    gmail: z
      .object({
        /** By drafts, of which Gmail can tell what became; or directly, and a person decides what is unknown. */
        sends: z.enum(['drafts', 'directly']),
        readsSent: z.boolean(),
      })
      .nullable(),
  })
  .meta({ id: 'Mailbox' })

const mailboxWithOutlook = mailboxOutput.extend({
  today: z.object({
    /** The local date that is today, and when it ends. */
    date: z.string(),
    until: z.date(),
    sent: z.number(),
    /** Due until the day ends. */
    waiting: z.number(),
    limit: z.number(),
    limitedBy: z.enum(['mailbox-limit', 'ramp-up', 'rolling-24h']),
    /** Which of its dates with sends today is or would be. */
    sendingDay: z.number(),
    /** The same where a ramp-up counts by it; null without. */
    rampUpDay: z.number().nullable(),
  }),
  /** The first moment at which its next email may leave; null where nothing waits or nobody knows. */
  next: z.object({ emailId: z.string(), at: z.date(), to: z.string().nullable() }).nullable(),
})

const testOutput = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true) }),
  z.object({
    ok: z.literal(false),
    stage: z.enum(TEST_STAGES),
    /** Of the steps that a person watches, the one that failed. */
    step: z.enum(TEST_STEPS),
    code: z.string(),
    sentence: z.string(),
    providerText: z.string().nullable(),
  }),
])

export const mailboxes = {
  list: operation({
    method: 'GET',
    path: '/api/mailboxes',
    summary:
      'The mailboxes of the workspace, by address: where they are, whether they send at the moment, and what they have sent and may send today.',
    access: 'member',
    query: z.object(archivedField),
    output: z.object({
      mailboxes: z.array(mailboxWithOutlook),
      /** Whether this installation has a Google project, through which Gmail mailboxes are connected. */
      gmail: z.object({ isSetUp: z.boolean() }),
    }),
  }),

  connect: operation({
    method: 'POST',
    path: '/api/mailboxes',
    summary:
      'Adds an SMTP mailbox once a test gets through to it. With test=false it is kept untested, and stopped. An address that was here before keeps its counts.',
    access: 'admin',
    body: z.object({
      address: addressInput,
      ...mailboxFields,
      smtp: smtpInput,
      test: testInput,
      testMessage: testMessageInput,
    }),
    progress: testProgress,
    refuses: [422],
    makes: { at: '/api/mailboxes/[id]', id: 'mailbox.id', unless: 'revived' },
    output: z.object({ mailbox: mailboxOutput, revived: z.boolean() }),
  }),

  read: operation({
    method: 'GET',
    path: '/api/mailboxes/[id]',
    summary: 'A mailbox, with where it is. Never its password.',
    access: 'member',
    params: idParams,
    versioned: 'mailbox.version',
    output: z.object({ mailbox: mailboxOutput }),
  }),

  edit: operation({
    method: 'PATCH',
    path: '/api/mailboxes/[id]',
    summary:
      'Changes name, limits, server or password of a mailbox, or stops it. New access is tested first; with test=false it is kept untested, and the mailbox stops.',
    access: 'admin',
    params: idParams,
    body: z.object({
      ...mailboxFields,
      smtp: smtpInput.partial().optional(),
      test: testInput,
      testMessage: testMessageInput,
      stopped: z.literal(true, { error: 'A mailbox is started by testing it.' }).optional(),
    }),
    versioned: 'mailbox.version',
    progress: testProgress,
    refuses: [422],
    /** What its refused login had failed for good; a test with retryFailed starts that over. */
    output: z.object({ mailbox: mailboxOutput, failedByLogin: z.number() }),
  }),

  archive: operation({
    method: 'DELETE',
    path: '/api/mailboxes/[id]',
    summary:
      'Archives a mailbox and forgets its password. What waits for it goes from the one that takes over. Added again, its address keeps its counts.',
    access: 'admin',
    params: idParams,
    query: z.object({ takenOverBy: idText.optional() }),
    output: done,
  }),

  restore: operation({
    method: 'POST',
    path: '/api/mailboxes/[id]/restore',
    summary:
      'Brings a mailbox back from the archive, with its counts. It is stopped until its password is given again.',
    access: 'admin',
    params: idParams,
    output: z.object({ mailbox: mailboxOutput }),
  }),

  removal: operation({
    method: 'GET',
    path: '/api/mailboxes/[id]/removal',
    summary: 'What waits for a mailbox, and so what removing it would move or leave waiting.',
    access: 'member',
    params: idParams,
    output: z.object({ waiting: z.number(), followUps: z.number(), isMore: z.boolean() }),
  }),

  test: operation({
    method: 'POST',
    path: '/api/mailboxes/[id]/test',
    summary:
      'Connects and logs in, and says in words what fails; with testMessage, it sends a message to the person who asks. A mailbox that works is connected again; with retryFailed, what its refused login had failed is started over.',
    access: 'admin',
    params: idParams,
    body: z.object({ retryFailed: z.boolean().default(false), testMessage: testMessageInput }),
    progress: testProgress,
    output: z.object({ test: testOutput, failedByLogin: z.number(), retried: z.number() }),
  }),

  connectGmail: operation({
    method: 'POST',
    path: '/api/mailboxes/gmail/connect',
    summary:
      'Answers the address at Google at which the person who asks grants a Gmail mailbox, or grants one of this workspace again.',
    access: 'admin',
    peopleOnly: true,
    body: z.object({ wish: z.enum(GMAIL_WISHES).default('drafts'), mailboxId: idText.optional() }),
    output: z.object({ url: z.string() }),
  }),

  finishGmail: operation({
    method: 'POST',
    path: '/api/mailboxes/gmail/callback',
    summary:
      'Takes what Google has sent the person back with, tries the mailbox live, and connects it. Open once, within 15 minutes.',
    access: 'admin',
    peopleOnly: true,
    body: z.object({
      state: z.string().min(1).max(200, 'The state has at most 200 characters.'),
      code: z.string().min(1).max(2_000, 'The code has at most 2000 characters.'),
    }),
    progress: testProgress,
    refuses: [422],
    output: z.object({ mailbox: mailboxOutput, revived: z.boolean(), failedByLogin: z.number() }),
  }),

  disconnect: operation({
    method: 'POST',
    path: '/api/mailboxes/[id]/disconnect',
    summary:
      'Stops a Gmail mailbox, forgets what opens it, and gives its permission back to Google. What waits for it waits on.',
    access: 'admin',
    params: idParams,
    /** `revoked`: Google has taken it back. Not where it did not answer, or another workspace sends from the same account. */
    output: z.object({ mailbox: mailboxOutput, revoked: z.boolean() }),
  }),
}

const record = z.object({ name: z.string(), type: z.literal('TXT'), value: z.string() })

const domainOutput = z.object({
  id: z.string(),
  domain: z.string(),
  /** That of our signature, to be added where the domain's DNS is kept. */
  record,
  /** Every record that receivers ask for, as it should stand, with what was found of it. */
  checks: z.array(
    z.object({
      kind: z.enum(['dkim', 'spf', 'dmarc']),
      record,
      finding: z.object({ state: z.enum(FINDING_STATES), sentence: z.string(), found: z.string().nullable() }),
    }),
  ),
  verifiedAt: z.date().nullable(),
  lookedAt: z.date().nullable(),
  createdAt: z.date(),
})

export const domains = {
  list: operation({
    method: 'GET',
    path: '/api/domains',
    summary: 'The domains whose mail is signed (DKIM), with the records that have to stand in DNS.',
    access: 'member',
    output: z.object({ domains: z.array(domainOutput) }),
  }),

  add: operation({
    method: 'POST',
    path: '/api/domains',
    summary: 'Adds a domain with a key of its own. Its mail is signed once the record was verified.',
    access: 'admin',
    body: z.object({ domain: z.string().max(1_000) }),
    makes: { at: '/api/domains' },
    output: domainOutput,
  }),

  verify: operation({
    method: 'POST',
    path: '/api/domains/[id]/verify',
    summary: 'Looks DKIM, SPF and DMARC up in DNS. What is found of DKIM decides whether the domain’s mail is signed.',
    access: 'admin',
    params: idParams,
    output: z.object({ domain: domainOutput, problem: z.string().nullable() }),
  }),

  remove: operation({
    method: 'DELETE',
    path: '/api/domains/[id]',
    summary: 'Removes a domain and its key; its mail goes out unsigned.',
    access: 'admin',
    params: idParams,
    output: done,
  }),
}
