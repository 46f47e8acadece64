import { isIP } from 'node:net'
import { type AllowedHosts, isAllowedAddress, isAllowedName, isPublicAddress } from './host-safety.ts'
import type { AnySecurity } from './smtp-server.ts'

/** All addresses of a name (resolve-name.ts). */
export type ResolveName = (host: string) => Promise<string[]>

type Wanted = { host: string; port: number; security: AnySecurity }

export type FoundHost =
  | { ok: true; addresses: string[] }
  | { ok: false; stage: 'name'; code: 'ENOTFOUND' | 'ETIMEDOUT'; reason: string }

export type ResolvedHost = FoundHost | { ok: false; stage: 'address'; code: 'HOST_FORBIDDEN'; reason: string }

const PORTS = [465, 587, 2525]
const ADDRESSES_MAX = 4

/**
 * Finds out where a host is, once, and whether it may be connected to: the host is what a stranger has entered, and might
 * name the inside of our own network. What is answered here is what is connected to; nobody asks the name again.
 */
export async function resolveHost(
  wanted: Wanted,
  allowed: AllowedHosts,
  resolve: ResolveName,
  timeoutMs: number,
): Promise<ResolvedHost> {
  const { host } = wanted
  const found = await findHost(host, resolve, timeoutMs)
  if (!found.ok) return found
  const { addresses } = found
  const isAllowed = isAllowedName(allowed, host) || addresses.every((address) => isAllowedAddress(allowed, address))
  const reason = isAllowed ? undefined : whyForbidden(wanted, addresses)
  if (reason) return { ok: false, stage: 'address', code: 'HOST_FORBIDDEN', reason }
  return { ok: true, addresses: addresses.slice(0, ADDRESSES_MAX) }
}

/** Where a host is; whether it may be connected to is another question. */
export async function findHost(host: string, resolve: ResolveName, timeoutMs: number): Promise<FoundHost> {
  const found = isIP(host) ? [host] : await resolveInTime(host, resolve, timeoutMs)
  if (found === 'timeout')
    return {
      ok: false,
      stage: 'name',
      code: 'ETIMEDOUT',
      reason: `No name server answered where ${host} is. If it stays so, look at the DNS of this machine.`,
    }
  if (found.length === 0)
    return {
      ok: false,
      stage: 'name',
      code: 'ENOTFOUND',
      reason: `There is no host with the name ${host}. Check the spelling.`,
    }
  return { ok: true, addresses: found }
}

function whyForbidden({ host, port, security }: Wanted, addresses: readonly string[]): string | undefined {
  // One private address among public ones is enough: who owns the name decides which of them we would meet.
  if (!addresses.every(isPublicAddress))
    return `${host} is inside a private network, where mail is not sent to. The operator of this installation may allow it with SMTP_ALLOW_PRIVATE_HOSTS.`
  if (!PORTS.includes(port))
    return `Port ${port} is not for sending mail: use ${PORTS.join(', ')}. The operator of this installation may allow others for a host with SMTP_ALLOW_PRIVATE_HOSTS.`
  if (security === 'NONE') return `Passwords and mail are not sent to ${host} unencrypted. Choose STARTTLS or TLS.`
  return undefined
}

async function resolveInTime(host: string, resolve: ResolveName, timeoutMs: number): Promise<string[] | 'timeout'> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<'timeout'>((done) => {
    timer = setTimeout(() => done('timeout'), timeoutMs)
  })
  try {
    return await Promise.race([resolve(host), timeout])
  } catch (error) {
    // EAI_AGAIN: the resolver itself is not there at the moment.
    return (error as NodeJS.ErrnoException).code === 'EAI_AGAIN' ? 'timeout' : []
  } finally {
    clearTimeout(timer)
  }
}
