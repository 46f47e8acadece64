import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import type { Deadline } from '#lib/mail/deadline.ts'
import type { Called } from './gmail-api.ts'
import type { GmailLink } from './gmail-link.ts'
import { OWN_ID } from './own-headers.ts'

type Accepted = Extract<SendOutcome, { kind: 'accepted' }>

/** `ids` are our own, which every attempt of an email bears; `to` is empty where the recipient was erased. */
export type Sought = { ids: readonly string[]; to: string; since: Date }

/** Google's clock and ours need not agree, and a search by time costs little beside one by recipient. */
const EARLIER_MS = 24 * 3_600_000

/**
 * Looks for a message among what the mailbox has sent: by recipient and time, and then by our own header, which alone
 * decides. Undefined where none is found, which proves nothing: the index may be late, or the person has deleted it.
 */
export async function findSentMessage(
  { api, abilities }: GmailLink,
  { ids, to, since }: Sought,
  deadline: Deadline,
): Promise<Called<Accepted | undefined>> {
  if (!abilities.read || ids.length === 0) return { ok: true, data: undefined }
  const found = await api.search(queryFor(to, since), deadline)
  if (!found.ok) return found
  for (const { id, threadId } of found.data) {
    const headers = await api.headersOf(id, [OWN_ID, 'Message-ID'], deadline)
    if (!headers.ok) return headers
    const own = headers.data.get(OWN_ID.toLowerCase())
    if (own === undefined || !ids.includes(own)) continue
    return { ok: true, data: { kind: 'accepted', messageId: headers.data.get('message-id') ?? own, threadId } }
  }
  return { ok: true, data: undefined }
}

/** An address that could be read as more than one word of a query is left out: the header decides in any case. */
function queryFor(to: string, since: Date): string {
  const after = `in:sent after:${Math.floor((since.getTime() - EARLIER_MS) / 1_000)}`
  return /^[\w.+-]+@[\w.-]+$/.test(to) ? `${after} to:${to}` : after
}
