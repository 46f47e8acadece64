import { isIP } from 'node:net'
import { type AllowedHosts, isAllowedAddress, isAllowedName, isPublicAddress } from '#lib/mail/smtp/host-safety.ts'
import { findHost, type ResolveName } from '#lib/mail/smtp/resolve-host.ts'
import { URL_LENGTH_MAX } from './limits.ts'

/** Where to look up names, and which private hosts this installation allows. */
export type Reach = { allowed: AllowedHosts; resolve: ResolveName }

export type Target =
  | { ok: true; url: URL; host: string; addresses: string[] }
  | { ok: false; isForbidden: boolean; sentence: string }

const ADDRESSES_MAX = 4

/**
 * Where an address leads, looked up once, and whether it may be asked: it is what a stranger has entered, and might name
 * the inside of our own network. What is answered here is what is connected to; nobody asks the name again.
 */
export async function findTarget(text: string, { allowed, resolve }: Reach, timeoutMs: number): Promise<Target> {
  const reading = readUrl(text)
  if (!reading.ok) return { ...reading, isForbidden: true }
  const { url } = reading
  const host = hostOf(url)
  const found = await findHost(host, resolve, timeoutMs)
  if (!found.ok) return { ok: false, isForbidden: false, sentence: found.reason }
  const { addresses } = found
  const isAllowed = isAllowedName(allowed, host) || addresses.every((address) => isAllowedAddress(allowed, address))
  const sentence = isAllowed ? undefined : whyForbidden(url, host, addresses)
  if (sentence) return { ok: false, isForbidden: true, sentence }
  return { ok: true, url, host, addresses: addresses.slice(0, ADDRESSES_MAX) }
}

function whyForbidden(url: URL, host: string, addresses: readonly string[]): string | undefined {
  // One private address among public ones is enough: who owns the name decides which of them we would meet.
  if (!addresses.every(isPublicAddress))
    return `${host} is inside a private network, where events are not sent to. The operator of this installation may allow it with WEBHOOK_ALLOW_PRIVATE_HOSTS.`
  if (url.protocol !== 'https:') return `Events are not sent to ${host} unencrypted: use an address with https.`
  return undefined
}

/** How a webhook is called where others read: the path of its address may hold a token. */
export function nameOfTarget(url: string): string {
  return URL.parse(url)?.host ?? url
}

type Reading = { ok: true; url: URL } | { ok: false; sentence: string }

const SHAPE = 'Enter the whole address, like https://example.com/hooks/sendonce.'

/** The address by itself, without a look at where it leads. */
export function readUrl(text: string): Reading {
  if (text.length > URL_LENGTH_MAX)
    return { ok: false, sentence: `The address has more than ${URL_LENGTH_MAX} characters.` }
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === '')
    return { ok: false, sentence: `This is no address that events can be sent to. ${SHAPE}` }
  if (url.username !== '' || url.password !== '')
    return {
      ok: false,
      sentence: 'The address holds a user name or a password. Leave them out: the signature proves who sends.',
    }
  url.hash = ''
  return { ok: true, url }
}

function hostOf({ hostname }: URL): string {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) ? bare : hostname
}
