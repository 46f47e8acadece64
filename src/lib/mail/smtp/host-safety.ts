import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * What SMTP_ALLOW_PRIVATE_HOSTS says: host names and addresses or networks that may be used although they are private, on
 * any port and without encryption; or all of them.
 */
export type AllowedHosts = {
  all: boolean
  names: ReadonlySet<string>
  networks: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][]
}

export const NO_HOSTS_ALLOWED: AllowedHosts = { all: false, names: new Set(), networks: [] }

/** `true`, or a list like `mail.internal, 10.1.0.0/16, ::1`. Whatever is no address is a name. */
export function readAllowedHosts(text: string | undefined): AllowedHosts {
  const entries = (text ?? '')
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean)
  if (entries.length === 1 && entries[0] === 'true') return { ...NO_HOSTS_ALLOWED, all: true }
  const networks = entries.flatMap((entry) => {
    const network = readNetwork(entry)
    return network ? [network] : []
  })
  return { all: false, names: new Set(entries.filter((entry) => !readNetwork(entry))), networks }
}

function readNetwork(entry: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry)
  if (isIP(entry) === 0) return undefined
  const address = ipaddr.parse(entry)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

export function isAllowedName(allowed: AllowedHosts, host: string): boolean {
  return allowed.all || allowed.names.has(host.toLowerCase())
}

export function isAllowedAddress(allowed: AllowedHosts, text: string): boolean {
  if (allowed.all) return true
  const address = ipaddr.parse(text)
  return allowed.networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}

/** Of the internet at large, as another's mail server has to be: not of this machine, its network, or a tunnel into either. */
export function isPublicAddress(text: string): boolean {
  // What ipaddr.js also reads (127.1, octal numbers) is no address here.
  if (isIP(text) === 0) return false
  const address = ipaddr.parse(text)
  // Mapped, translated and tunnelled forms (::ffff:0:0/96, 64:ff9b::/96, 2002::/16…) have ranges of their own and are refused with them.
  if (address.range() !== 'unicast' || METADATA.has(address.toString())) return false
  // The rest of IPv6 is not given out; ::127.0.0.1, an old way to write IPv4, is there.
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST)
}

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Azure's own address for its machines is a public one; those of the others are link-local, shared or private. */
const METADATA: ReadonlySet<string> = new Set(['168.63.129.16'])
