import { randomBytes } from 'node:crypto'
import { isAPIError } from 'better-auth/api'
import type pg from 'pg'
import { PublicError } from '#lib/platform/api-response.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { recordPersonAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { type Auth, RESET_VALID_SECONDS } from './auth.ts'

/** Stores the mail with the link; in the transaction that forgets the ask. */
type StoreMail<T> = (tx: Sql, person: { name: string; email: string }, token: string) => Promise<T>

/**
 * Answers what was asked, once: the mail is stored and the ask forgotten in one commit, so that a process that dies before
 * leaves it to the next one. Of several at it one stores a mail; the links of the others were told to nobody. Undefined where
 * there is nobody to write to, or nothing left to do.
 */
export async function answerResetAsk<T>(
  auth: Auth,
  pool: pg.Pool,
  id: string,
  storeMail: StoreMail<T>,
): Promise<T | undefined> {
  const { rows } = await pool.query<{ email: string }>('SELECT email FROM password_reset_asks WHERE id = $1', [id])
  const [ask] = rows
  if (!ask) return undefined
  // Outside the transaction: better-auth takes a connection of its own, and none may wait for another while it holds one.
  const { internalAdapter } = await auth.$context
  const found = await internalAdapter.findUserByEmail(ask.email)
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  if (found) {
    await internalAdapter.createVerificationValue({
      value: found.user.id,
      identifier: `${RESET_PREFIX}${token}`,
      // By the clock that better-auth compares it with.
      expiresAt: new Date(Date.now() + RESET_VALID_SECONDS * 1_000),
    })
  }
  return inTransaction(pool, async (tx) => {
    const { rowCount } = await tx.query('DELETE FROM password_reset_asks WHERE id = $1', [id])
    return found && rowCount ? storeMail(tx, found.user, token) : undefined
  })
}

/** As better-auth looks for it. */
const RESET_PREFIX = 'reset-password:'
const TOKEN_BYTES = 24

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
  const verification = await internalAdapter.findVerificationValue(`${RESET_PREFIX}${token}`)
  return verification ? internalAdapter.findUserById(verification.value) : null
}

const linkIsSpent = () =>
  new PublicError(
    410,
    'link-spent',
    'This link has been used, has expired or is not complete. Ask for a new one; it works for an hour, once.',
  )
