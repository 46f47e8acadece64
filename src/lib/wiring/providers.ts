import type pg from 'pg'
import { smtpProvider } from '#lib/mail/mailboxes/open-transport.ts'
import type { Providers } from '#lib/mail/provider.ts'
import { env } from '#lib/platform/env.ts'
import type { Keyring } from '#lib/platform/keyring.ts'

/** The kinds of mailboxes that this installation sends from. */
export function providersOf(pool: pg.Pool, keyring: Keyring): Providers {
  return { SMTP: smtpProvider(pool, keyring, undefined, env().SYSTEM_MAIL_URL) }
}
