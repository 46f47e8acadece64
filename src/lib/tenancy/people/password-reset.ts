import { isAPIError } from 'better-auth/api'
import type pg from 'pg'
import { PublicError } from '#lib/platform/api-response.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { recordPersonAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import type { Auth } from './auth.ts'

/** Says nothing about whether the address belongs to anyone. */
export async function requestPasswordReset(auth: Auth, email: string): Promise<void> {
  await auth.api.requestPasswordReset({ body: { email } })
}

/**
 * The link works once. All sessions end with it, and so do other links that wait in the mailbox. Answers whose password
 * it was.
 */
export async function resetPassword(
  auth: Auth,
  pool: pg.Pool,
  { token, password }: { token: string; password: string },
  origin: Pick<Actor, 'address' | 'requestId'>,
): Promise<{ email: string }> {
  const person = await personOfResetToken(auth, token)
  if (!person) throw linkIsSpent()
  try {
    await auth.api.resetPassword({ body: { newPassword: password, token } })
  } catch (error) {
    if (isAPIError(error) && error.statusCode === 400) throw linkIsSpent()
    throw error
  }
  await inTransaction(pool, async (tx) => {
    await tx.query('DELETE FROM verifications WHERE value = $1', [person.id])
    await recordPersonAudit(tx, 'person.password-reset', { id: person.id, email: person.email, ...origin })
  })
  return { email: person.email }
}

async function personOfResetToken(auth: Auth, token: string) {
  const { internalAdapter } = await auth.$context
  const verification = await internalAdapter.findVerificationValue(`reset-password:${token}`)
  return verification ? internalAdapter.findUserById(verification.value) : null
}

const linkIsSpent = () =>
  new PublicError(
    410,
    'link-spent',
    'This link has been used, has expired or is not complete. Ask for a new one; it works for an hour, once.',
  )
