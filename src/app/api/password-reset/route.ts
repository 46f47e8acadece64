import { z } from 'zod'
import { database } from '#lib/platform/database.ts'
import { route } from '#lib/platform/route.ts'
import { requestPasswordReset, resetPassword } from '#lib/tenancy/password-reset.ts'
import { emailSchema, passwordSchema } from '#lib/tenancy/person.ts'
import { forgetAttempts, LIMITS } from '#lib/tenancy/rate-limit.ts'
import { limitByAddress, limitBySubject } from '../limit.ts'
import { DONE, done, tokenSchema } from '../schemas.ts'
import { auth } from '../services.ts'
import { originOf } from '../workspace-route.ts'

export const POST = route(
  {
    summary: 'Mails a link for a new password, if the address belongs to somebody; the answer is the same if not.',
    body: z.object({ email: emailSchema }),
    output: done,
  },
  async (input) => {
    await limitByAddress(input, LIMITS.resetByAddress)
    await limitBySubject(input, LIMITS.resetByAccount, input.body.email)
    await requestPasswordReset(auth(), input.body.email)
    return DONE
  },
)

export const PUT = route(
  {
    summary: 'Sets a new password by the link of the mail, and ends all sessions of the person.',
    body: z.object({ token: tokenSchema, password: passwordSchema }),
    output: done,
  },
  async (input) => {
    await limitByAddress(input, LIMITS.tokenByAddress)
    const { email } = await resetPassword(auth(), database(), input.body, originOf(input))
    // Whoever was locked out by somebody's guessing gets in again with the mail in hand.
    await forgetAttempts(database(), LIMITS.signInByAccount, email)
    return DONE
  },
)
