import type pg from 'pg'
import { composeMessage } from '#lib/mail/compose.ts'
import { openTransport } from '#lib/mail/open-transport.ts'
import { renderEmails } from '#lib/mail/render-emails.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { contentPreparer } from './prepare.ts'
import type { SendingMeans } from './send-due.ts'

/** How this installation writes its emails and hands them over. */
export function sendingMeans(pool: pg.Pool, keyring: Keyring, appUrl: string): SendingMeans {
  return {
    openTransport: (mailboxId) => openTransport(pool, keyring, mailboxId),
    prepare: contentPreparer(
      pool,
      (emails) => renderEmails(pool, emails, { appUrl, keyring }),
      (content) => composeMessage(content),
    ),
  }
}
