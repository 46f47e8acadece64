import { randomUUID } from 'node:crypto'
import { readDkimKeys } from '#lib/mail/domains/dkim-keys.ts'
import { composeMessage } from '#lib/mail/message/compose.ts'
import type { OutgoingMessage } from '#lib/mail/transport.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'

export type Sender = { name: string; address: string }

/** Shows that the server takes a message from this address. It belongs to no campaign: no key, no place, no quota. */
export async function testMessage(
  sql: Sql,
  keyring: Keyring,
  workspaceId: string,
  { from, to, now }: { from: Sender; to: Sender; now: Date },
): Promise<OutgoingMessage> {
  const dkim = (await readDkimKeys(sql, keyring, [workspaceId]))(workspaceId, from.address)
  const content = {
    ...{ from, to, date: now, html: '', headers: {} },
    subject: `${from.address} can send`,
    text: `Sendonce sent this to test ${from.address}. It arrived, so the mailbox works. You need not answer.\n`,
    messageId: `<test.${randomUUID()}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
  }
  // A key that cannot be read stops campaign email; of the server it says nothing.
  return composeMessage(content, dkim && 'unreadable' in dkim ? undefined : dkim)
}
