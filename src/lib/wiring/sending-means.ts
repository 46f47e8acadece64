import type pg from 'pg'
import { hasherIn } from '#lib/audience/address-hash.ts'
import { type ComposerFor, contentPreparer } from '#lib/delivery/prepare.ts'
import type { Refused } from '#lib/email-scheduler/outcome.ts'
import { readDkimKeys } from '#lib/mail/domains/dkim-keys.ts'
import { composeMessage } from '#lib/mail/message/compose.ts'
import { renderEmails } from '#lib/mail/message/render-emails.ts'
import { readThreads } from '#lib/mail/message/threads.ts'
import type { Providers } from '#lib/mail/provider.ts'
import { readParts } from '#lib/outbox/email-parts.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import type { SendingMeans } from '#lib/worker/send-due.ts'
import { providersOf } from './providers.ts'

/** How this installation writes its emails, signs them and hands them over. */
export function sendingMeans(
  pool: pg.Pool,
  keyring: Keyring,
  appUrl: string,
  providers: Providers = providersOf(pool, keyring),
): SendingMeans {
  const composerFor: ComposerFor = async (emails, kind) => {
    // Gmail replaces headers that would be signed, and signs by itself.
    const signed = kind === 'GMAIL' ? [] : emails
    const transactional = emails.filter(({ kind }) => kind === 'TRANSACTIONAL')
    const [keyFor, parts] = await Promise.all([
      readDkimKeys(
        pool,
        keyring,
        signed.map(({ workspaceId }) => workspaceId),
      ),
      readParts(
        pool,
        transactional.map(({ id }) => id),
      ),
    ])
    const threadFor = kind === 'GMAIL' ? await readThreads(pool, emails) : undefined
    return async ({ id, workspaceId }, content, bcc) => {
      const key = keyFor(workspaceId, content.from.address)
      if (key && 'unreadable' in key) return { ok: false, outcome: unreadableKey(key.domain) }
      const message = await composeMessage(content, key, { parts: parts.get(id), bcc })
      return { ok: true, message: { ...message, threadId: threadFor?.({ id }, content.headers) } }
    }
  }
  return {
    providers,
    prepare: contentPreparer(pool, (emails) => renderEmails(pool, emails, { appUrl, keyring }), composerFor),
    hasherIn: hasherIn(keyring),
  }
}

function unreadableKey(domain: string): Refused {
  const reason = `The key that signs for ${domain} cannot be read: ENCRYPTION_KEYS no longer holds the key it was kept under. Put that one back, or remove the domain and add it again.`
  return { kind: 'retry', scope: 'mailbox', code: 'CREDENTIAL_UNREADABLE', reason }
}
