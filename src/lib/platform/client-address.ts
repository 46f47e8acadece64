import { isIPv4, isIPv6 } from 'node:net'

/** From which socket a request came; the front door alone writes it. */
export const PEER_HEADER = 'x-sendonce-peer'

const shared = globalThis as typeof globalThis & { sendoncePeerIsKnown?: true }

/** Only then is the header ours: without the door, the caller may have written it. */
export const isPeerKnown = () => shared.sendoncePeerIsKnown === true

export function vouchForPeer(): void {
  shared.sendoncePeerIsKnown = true
}

/**
 * Who is calling, for rate limits and the audit log; undefined when nobody trustworthy says so. X-Forwarded-For is
 * whatever the caller writes, except for what our own proxies appended: with n of them, the n-th entry from the end.
 * Without any, it is the socket's own, which the front door has written down.
 */
export function clientAddress(
  headers: Headers,
  trust: { TRUSTED_PROXIES: number; VERCEL?: string },
): string | undefined {
  if (trust.VERCEL) return plain(headers.get('x-vercel-forwarded-for')?.split(',')[0])
  if (trust.TRUSTED_PROXIES === 0) return isPeerKnown() ? plain(headers.get(PEER_HEADER) ?? '') : undefined
  const hops = (headers.get('x-forwarded-for') ?? '').split(',')
  return plain(hops.at(-trust.TRUSTED_PROXIES))
}

/** One caller has a whole /64 of IPv6 to choose from, and may write an IPv4 address as IPv6. */
export function addressBlock(address: string): string {
  if (!isIPv6(address)) return address
  return `${groupsOf(address)
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

function plain(entry: string | undefined): string | undefined {
  const text = entry?.trim().replace(/^\[(.*)\](:\d+)?$/, '$1') ?? ''
  const withoutPort = /^\d+\.\d+\.\d+\.\d+:\d+$/.test(text) ? text.slice(0, text.indexOf(':')) : text
  if (isIPv4(withoutPort)) return withoutPort
  if (!isIPv6(withoutPort)) return undefined
  const groups = groupsOf(withoutPort)
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (!mapped) return withoutPort.toLowerCase()
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

/** The eight groups of an IPv6 address, however it is written. */
function groupsOf(address: string): number[] {
  const bare = address.split('%')[0] ?? ''
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(bare)
  const text = dotted
    ? `${dotted[1]}${((Number(dotted[2]) << 8) | Number(dotted[3])).toString(16)}:${((Number(dotted[4]) << 8) | Number(dotted[5])).toString(16)}`
    : bare
  const [head = '', tail] = text.split('::')
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const before = parse(head)
  const after = parse(tail ?? '')
  return tail === undefined
    ? before
    : [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
}
