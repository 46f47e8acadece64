import { z } from 'zod'

export type Person = { id: string; name: string; email: string }

/**
 * Who does something, and from where: what the audit log keeps of it. Where a program does it, `id` is the person who made its
 * key, and `email` names the key.
 */
export type Actor = { id: string; email: string; keyId?: string; address?: string; requestId?: string }

export const PASSWORD_LENGTH_MIN = 10
export const PASSWORD_LENGTH_MAX = 128

const TOO_LONG = `A password has at most ${PASSWORD_LENGTH_MAX} characters, of which an emoji counts as two or more.`

/**
 * The longest that signing in takes: better-auth refuses a longer one, and counts units of UTF-16 where zod counts
 * characters. What could be set and never be entered would lock its owner out.
 */
export const passwordGivenSchema = z
  .string()
  .min(1, 'The password is needed.')
  .max(PASSWORD_LENGTH_MAX, TOO_LONG)
  .refine((password) => password.length <= PASSWORD_LENGTH_MAX, TOO_LONG)

/** Length is what makes a password strong; rules of composition only make it hard to remember. */
export const passwordSchema = passwordGivenSchema.min(
  PASSWORD_LENGTH_MIN,
  `A password has at least ${PASSWORD_LENGTH_MIN} characters.`,
)

/** One address is one person, however it is written. */
export const emailSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, 'An email address has at most 254 characters.')
  .pipe(z.email('This is not an email address.'))

export const personNameSchema = nameSchema('A name')
export const workspaceNameSchema = nameSchema('The name of a workspace')

/** Names go into subjects of mails: one line, and nothing that shows as something else. */
function nameSchema(what: string) {
  return z
    .string()
    .trim()
    .min(1, `${what} is needed.`)
    .max(100, `${what} has at most 100 characters.`)
    .regex(/^[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u, `${what} is one line of text.`)
}
