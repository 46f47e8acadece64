import { createHash } from 'node:crypto'

/** As many as keep a thread together; the line stays short however long the sequence. */
const REFERENCES_MAX = 10
const ID_LENGTH_MAX = 250

/** The same for every attempt of the same email, and for nothing else: who gets one twice can tell. */
export function messageIdOf(idempotencyKey: string, domain: string): string {
  return `<${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32)}@${domain}>`
}

/** A follow-up answers the email before it; `earlier` are the ids of what was sent before, oldest first. */
export function threadHeaders(earlier: readonly (string | null)[]): Record<string, string> {
  const ids = earlier.flatMap((id) => readMessageId(id) ?? [])
  const last = ids.at(-1)
  if (last === undefined) return {}
  const kept = ids.length > REFERENCES_MAX ? [...ids.slice(0, 1), ...ids.slice(1 - REFERENCES_MAX)] : ids
  return { 'In-Reply-To': last, References: kept.join(' ') }
}

/** What providers report may lack its brackets, or be something else altogether; then it names no message. */
function readMessageId(text: string | null): string | undefined {
  const inner = text?.trim().replace(/^<(.*)>$/, '$1') ?? ''
  return inner.length <= ID_LENGTH_MAX && /^[\x21-\x3b\x3d\x3f-\x7e]+$/.test(inner) ? `<${inner}>` : undefined
}

/** The way out by a mail program's own button (RFC 2369), at one click and without opening a page (RFC 8058). */
export function unsubscribeHeaders(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}

export function unsubscribeUrl(appUrl: string, token: string): string {
  return `${appUrl.replace(/\/+$/, '')}/u/${token}`
}
