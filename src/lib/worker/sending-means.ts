import type pg from 'pg'
import { composeMessage } from '#lib/mail/compose.ts'
import { readDkimKeys } from '#lib/mail/dkim-keys.ts'
import { openTransport } from '#lib/mail/open-transport.ts'
import { renderEmails } from '#lib/mail/render-emails.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { contentPreparer } from './prepare.ts'
import type { SendingMeans } from './send-due.ts'

/** How this installation writes its emails and hands them over. */
export function sendingMeans(pool: pg.Pool, keyring: Keyring, appUrl: string): SendingMeans {
  return {
    openTransport: (mailboxId) => openTransport(pool, keyring, mailboxId),
    prepare: async (emails) => {
      const keyFor = await readDkimKeys(
        pool,
        keyring,
        emails.map(({ workspaceId }) => workspaceId),
      )
      const prepare = contentPreparer(
        pool,
        (some) => renderEmails(pool, some, { appUrl, keyring }),
        (content, { workspaceId }) => composeMessage(content, keyFor(workspaceId, content.from.address)),
      )
      return prepare(emails)
    },
  }
}
