import type pg from 'pg'
import { composeMessage } from '#lib/mail/compose.ts'
import { readDkimKeys } from '#lib/mail/dkim-keys.ts'
import { openTransport } from '#lib/mail/open-transport.ts'
import { renderEmails } from '#lib/mail/render-emails.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { type ComposerFor, contentPreparer } from './prepare.ts'
import type { SendingMeans } from './send-due.ts'

/** How this installation writes its emails, signs them and hands them over. */
export function sendingMeans(pool: pg.Pool, keyring: Keyring, appUrl: string): SendingMeans {
  const composerFor: ComposerFor = async (emails) => {
    const keyFor = await readDkimKeys(
      pool,
      keyring,
      emails.map(({ workspaceId }) => workspaceId),
    )
    return ({ workspaceId }, content) => composeMessage(content, keyFor(workspaceId, content.from.address))
  }
  return {
    openTransport: (mailboxId) => openTransport(pool, keyring, mailboxId),
    prepare: contentPreparer(pool, (emails) => renderEmails(pool, emails, { appUrl, keyring }), composerFor),
  }
}
