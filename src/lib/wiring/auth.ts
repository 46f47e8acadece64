import { prisma } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { log } from '#lib/platform/log.ts'
import { type Auth, createAuth } from '#lib/tenancy/people/auth.ts'

// Hot reload loads this module again; the database's handles must not multiply with it.
const shared = globalThis as typeof globalThis & { sendonceAuth?: Auth }

/** Who may sign in, and how. */
export function auth(): Auth {
  const { APP_URL, AUTH_SECRET } = env()
  shared.sendonceAuth ??= createAuth({ prisma: prisma(), appUrl: APP_URL, secret: AUTH_SECRET, log })
  return shared.sendonceAuth
}
