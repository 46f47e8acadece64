import type pg from 'pg'
import type { GmailMeans } from '#lib/mail/gmail/access-token.ts'
import { gmailProvider } from '#lib/mail/gmail/gmail-provider.ts'
import { type Google, googleAt } from '#lib/mail/gmail/google.ts'
import { smtpProvider } from '#lib/mail/mailboxes/open-transport.ts'
import type { Providers } from '#lib/mail/provider.ts'
import { env } from '#lib/platform/env.ts'
import type { Keyring } from '#lib/platform/keyring.ts'

/** The kinds of mailboxes that this installation sends from. */
export function providersOf(pool: pg.Pool, keyring: Keyring): Providers {
  return {
    SMTP: smtpProvider(pool, keyring, undefined, env().SYSTEM_MAIL_URL),
    GMAIL: gmailProvider(gmailMeans(pool, keyring)),
  }
}

export function gmailMeans(pool: pg.Pool, keyring: Keyring): GmailMeans {
  return { pool, keyring, google: google() }
}

/** The Google project of this installation, if it has one. */
export function google(): Google | undefined {
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret, FAKE_GOOGLE_URL } = env()
  return clientId && clientSecret ? googleAt({ clientId, clientSecret }, FAKE_GOOGLE_URL) : undefined
}
