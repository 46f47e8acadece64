import nodemailer from 'nodemailer'
import { z } from 'zod'

export type SystemMail = { to: string; subject: string; text: string; html: string }

/** `failed` says why, for the log; the person who waits for the mail is told only that it did not go out. */
export type SystemMailOutcome = { kind: 'accepted' } | { kind: 'failed'; reason: string }

export type SystemMailer = (mail: SystemMail) => Promise<SystemMailOutcome>

const CONNECT_MS_MAX = 10_000
const SILENCE_MS_MAX = 15_000

/** Sends what the product itself has to say (invitations, password resets) through the mailbox of the environment. */
export function createSystemMailer(mailbox: { SYSTEM_MAIL_URL?: string; SYSTEM_MAIL_FROM?: string }): SystemMailer {
  const { SYSTEM_MAIL_URL: url, SYSTEM_MAIL_FROM: from } = mailbox
  if (!url || !from) return async () => ({ kind: 'failed', reason: 'SYSTEM_MAIL_URL and SYSTEM_MAIL_FROM are not set' })
  const transport = nodemailer.createTransport(transportOptions(new URL(url)))
  return async ({ to, subject, text, html }) => {
    // One cell with a comma or a group in it would become several recipients.
    if (!z.email().safeParse(to).success) return { kind: 'failed', reason: 'the recipient is not one email address' }
    try {
      await transport.sendMail({
        from: { name: 'Sendonce', address: from },
        to: { name: '', address: to },
        envelope: { from, to: [to] },
        subject,
        text,
        html,
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      return { kind: 'accepted' }
    } catch (error) {
      return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) }
    }
  }
}

function transportOptions(url: URL) {
  const secure = url.protocol === 'smtps:'
  const auth = url.username
    ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
    : undefined
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    auth,
    // A password must not travel in the clear because somebody on the way removed the offer of STARTTLS.
    requireTLS: !secure && auth !== undefined,
    disableFileAccess: true,
    disableUrlAccess: true,
    connectionTimeout: CONNECT_MS_MAX,
    greetingTimeout: CONNECT_MS_MAX,
    socketTimeout: SILENCE_MS_MAX,
  }
}
