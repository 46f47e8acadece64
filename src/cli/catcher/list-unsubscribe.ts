import type { Header } from './parse.ts'

export type ListUnsubscribe = {
  urls: string[]
  /** The address that a mail client's own unsubscribe button would POST to (RFC 8058), if the mail offers one. */
  oneClickUrl: string | null
}

export type OneClickAnswer = { kind: 'answered'; status: string; body: string } | { kind: 'failed'; reason: string }

export const USER_AGENT = 'sendonce-catcher'

const ANSWER_MS_MAX = 10_000
const ANSWER_BYTES_MAX = 64 * 1024

export function listUnsubscribeOf(headers: Header[]): ListUnsubscribe | null {
  const valuesOf = (name: string) => headers.filter((header) => header.name.toLowerCase() === name)
  const urls = valuesOf('list-unsubscribe').flatMap(({ value }) => [...value.matchAll(/<([^<>]+)>/g)].map(targetOf))
  if (urls.length === 0) return null
  const offersOneClick = valuesOf('list-unsubscribe-post').some(({ value }) => value === 'List-Unsubscribe=One-Click')
  return { urls, oneClickUrl: (offersOneClick && urls.find((url) => /^https?:/i.test(url))) || null }
}

function targetOf(match: RegExpMatchArray): string {
  return (match[1] ?? '').replace(/\s/g, '')
}

/** Mails here may be addressed from anywhere to anywhere; only this machine may be spoken to. */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** Does what a mail client does when its reader presses "Unsubscribe". No redirects: RFC 8058 forbids them. */
export async function postOneClick(url: string): Promise<OneClickAnswer> {
  if (!isLoopback(url)) return { kind: 'failed', reason: 'The address is not on this machine, so nothing was sent.' }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': USER_AGENT },
      body: 'List-Unsubscribe=One-Click',
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
    const body = await firstBytes(response)
    return { kind: 'answered', status: `${response.status} ${response.statusText}`.trim(), body }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return { kind: 'failed', reason: cause instanceof Error ? cause.message : String(cause) }
  }
}

async function firstBytes(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= ANSWER_BYTES_MAX) break
  }
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString('utf8')
}
