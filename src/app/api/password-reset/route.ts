import { after } from 'next/server'
import { passwordReset } from '#lib/contract/session.ts'
import { DONE } from '#lib/contract/shared.ts'
import { database } from '#lib/platform/database.ts'
import { route } from '#lib/platform/http/route.ts'
import { resetPassword } from '#lib/tenancy/people/password-reset.ts'
import { askForReset } from '#lib/tenancy/people/reset-asks.ts'
import { forgetAttempts, LIMITS } from '#lib/tenancy/rate-limit.ts'
import { auth } from '#lib/wiring/auth.ts'
import { answerReset } from '#lib/wiring/password-reset.ts'
import { limitByAddress, limitBySubject } from '../limit.ts'
import { originOf } from '../workspace-route.ts'

export const POST = route(passwordReset.request, async (input) => {
  await limitByAddress(input, LIMITS.resetByAddress)
  await limitBySubject(LIMITS.resetByAccount, input.body.email)
  const { id } = await askForReset(database(), input.body.email)
  after(() => answerReset(id))
  return DONE
})

export const PUT = route(passwordReset.confirm, async (input) => {
  await limitByAddress(input, LIMITS.tokenByAddress)
  const { email } = await resetPassword(auth(), database(), input.body, originOf(input))
  // A person locked out by another's guessing gets in again with the mail in hand.
  await forgetAttempts(database(), LIMITS.signInByAccount, email)
  return DONE
})
