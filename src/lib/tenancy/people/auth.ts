import { prismaAdapter } from 'better-auth/adapters/prisma'
import { betterAuth } from 'better-auth/minimal'
import { organization } from 'better-auth/plugins/organization'
import type { PrismaClient } from '#lib/platform/generated/client.ts'
import { newId } from '#lib/platform/id.ts'
import type { Log } from '#lib/platform/log.ts'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '#lib/tenancy/person.ts'

export type AuthSettings = {
  prisma: PrismaClient
  appUrl: string
  secret: string
  log: Log
}

export type Auth = ReturnType<typeof createAuth>

const DAY_SECONDS = 24 * 60 * 60
/** Links are made and mailed in password-reset.ts; better-auth keeps them and takes them. */
export const RESET_VALID_SECONDS = 60 * 60

/**
 * better-auth keeps people, passwords and sessions. Its HTTP handler is not mounted: our own routes call the few of its
 * functions that are needed, so that nothing it serves goes past our rules (decisions/auth.md).
 */
export function createAuth({ prisma, appUrl, secret, log }: AuthSettings) {
  return betterAuth({
    appName: 'Sendonce',
    baseURL: appUrl,
    secret,
    telemetry: { enabled: false },
    database: prismaAdapter(prisma, { provider: 'postgresql', transaction: true }),
    advanced: {
      database: { generateId: () => newId() },
      cookiePrefix: 'sendonce',
      useSecureCookies: appUrl.startsWith('https:'),
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/' },
      // Nobody's address is taken from a header here; rate limits are ours, and go by client-address.ts.
      ipAddress: { disableIpTracking: true },
    },
    rateLimit: { enabled: false },
    session: { expiresIn: 7 * DAY_SECONDS, updateAge: DAY_SECONDS },
    verification: { storeIdentifier: 'hashed' },
    emailAndPassword: {
      enabled: true,
      // People come by the first run or by an invitation, both in our own transactions.
      disableSignUp: true,
      minPasswordLength: PASSWORD_LENGTH_MIN,
      maxPasswordLength: PASSWORD_LENGTH_MAX,
      revokeSessionsOnPasswordReset: true,
    },
    logger: { log: (level, message) => log[level === 'error' ? 'error' : 'debug']({ from: 'better-auth' }, message) },
    plugins: [
      organization({
        allowUserToCreateOrganization: false,
        schema: {
          organization: { modelName: 'workspace' },
          member: { fields: { organizationId: 'workspaceId' } },
          invitation: {
            fields: { organizationId: 'workspaceId' },
            // The plugin never makes invitations here; it only has to know that the column is there.
            additionalFields: { tokenHash: { type: 'string', required: true, input: false, returned: false } },
          },
          session: { fields: { activeOrganizationId: 'activeWorkspaceId' } },
        },
      }),
    ],
  })
}
