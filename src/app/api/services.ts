import { after } from 'next/server'
import { createSystemMailer } from '#lib/mail/system-mailbox.ts'
import { prisma } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { log } from '#lib/platform/log.ts'
import { type Auth, createAuth } from '#lib/tenancy/auth.ts'
import { type Mailer, passwordResetMail } from '#lib/tenancy/mails.ts'

// Hot reload loads this module again; the database's handles must not multiply with it.
const shared = globalThis as typeof globalThis & { sendonceServices?: { auth: Auth; mailer: Mailer } }

/** Where folders of lib meet that may not know each other: tenancy gets its mailer here. */
function services() {
  shared.sendonceServices ??= connect()
  return shared.sendonceServices
}

function connect(): { auth: Auth; mailer: Mailer } {
  const { APP_URL, AUTH_SECRET } = env()
  const mailer = createSystemMailer(env())
  const auth = createAuth({
    prisma: prisma(),
    appUrl: APP_URL,
    secret: AUTH_SECRET,
    log,
    // After the answer: how long a mail takes would tell that the address belongs to somebody.
    sendPasswordReset: (person, token) => after(() => sendAndLog(passwordResetMail(APP_URL, person, token))),
  })
  return { auth, mailer }
}

export const auth = (): Auth => services().auth

/** Sends, and answers whether the server took it. Why not is for the log: it may name hosts and users. */
export async function sendAndLog(mail: Parameters<Mailer>[0]): Promise<boolean> {
  const outcome = await services().mailer(mail)
  if (outcome.kind === 'accepted') return true
  log.error({ reason: outcome.reason, subject: mail.subject }, 'a mail of the product could not be sent')
  return false
}
