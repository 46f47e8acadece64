import { z } from 'zod'
import { readAddress } from '#lib/audience/address.ts'
import type { MailboxDesk } from '#lib/mail/connect-mailbox.ts'
import { SMTP_SECURITIES } from '#lib/mail/smtp-transport.ts'
import { database } from '#lib/platform/database.ts'
import { keyring } from '../keyring.ts'
import type { WorkspaceContext } from '../workspace-route.ts'

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

export const addressInput = z.string().transform((text, context) => {
  const reading = readAddress(text)
  if (reading.ok) return reading.address
  context.addIssue({ code: 'custom', message: reading.reason })
  return z.NEVER
})

export const smtpInput = z.object({
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

export const mailboxFields = {
  displayName: oneLine('The name', 100).optional(),
  dailyLimit: wholeNumber('The daily limit', 1, 100_000).optional(),
  rollingLimit: wholeNumber('The limit over 24 hours', 1, 100_000).optional(),
}

/** Untested, it is kept and stopped. */
export const testInput = z.boolean().default(true)

export const mailboxOutput = z.object({
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
  createdAt: z.date(),
  smtp: z
    .object({
      host: z.string(),
      port: z.number(),
      security: z.enum(SMTP_SECURITIES),
      username: z.string().nullable(),
    })
    .nullable(),
})

export const testOutput = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true) }),
  z.object({
    ok: z.literal(false),
    stage: z.enum(['name', 'address', 'connection', 'encryption', 'greeting', 'login']),
    code: z.string(),
    sentence: z.string(),
    providerText: z.string().nullable(),
  }),
])

export function mailboxDesk({ workspace, actor }: Pick<WorkspaceContext, 'workspace' | 'actor'>): MailboxDesk {
  return { pool: database(), keyring: keyring(), workspaceId: workspace.id, actor }
}
