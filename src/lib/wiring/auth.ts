import { prisma } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { log } from '#lib/platform/log.ts'
import { type Auth, createAuth } from '#lib/tenancy/people/auth.ts'
import { passwordResetMail } from '#lib/tenancy/people/mails.ts'
import { sendSystemMail } from './system-mail.ts'

// Hot reload loads this module again; the database's handles must not multiply with it.
const shared = globalThis as typeof globalThis & { sendonceAuth?: Auth }

/**
 * Who may sign in, and how. `afterAnswer` runs work once the caller has its answer: how long a mail takes would tell
 * that the address belongs to a person.
 */
export function authWith(afterAnswer: (work: () => Promise<unknown>) => void): Auth {
  const { APP_URL, AUTH_SECRET } = env()
  shared.sendonceAuth ??= createAuth({
    prisma: prisma(),
    appUrl: APP_URL,
    secret: AUTH_SECRET,
    log,
    sendPasswordReset: (person, token) => afterAnswer(() => sendSystemMail(passwordResetMail(APP_URL, person, token))),
  })
  return shared.sendonceAuth
}
