import { lookup, Resolver } from 'node:dns/promises'
import { type AllowedHosts, isAllowedName } from './host-safety.ts'
import type { ResolveName } from './resolve-host.ts'

const TIMEOUT_MS = 2_500
const TRIES = 2

/** As the system resolves names, hosts file included. */
export const resolveBySystem: ResolveName = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true })
  return found.map(({ address }) => address)
}

/**
 * The system looks names up in two threads of a process. Six names whose servers are silent keep every other name waiting for
 * half a minute there, that of the database too, and a stranger chooses the names of mailboxes and webhooks. So these are
 * asked of the name servers themselves, which costs no thread. What the operator has named may stand in a hosts file, as
 * may what has no dot.
 */
export function resolverFor(allowed: AllowedHosts, nameServers?: readonly string[]): ResolveName {
  return (host) => {
    const name = host.replace(/\.$/, '').toLowerCase()
    const isOurs = isAllowedName(allowed, name) || !name.includes('.') || name.endsWith('.localhost')
    return isOurs ? resolveBySystem(host) : resolveByNameServers(host, nameServers)
  }
}

async function resolveByNameServers(host: string, nameServers?: readonly string[]): Promise<string[]> {
  // Made anew for each name: it reads once which servers there are, and a network may change.
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (nameServers) resolver.setServers(nameServers)
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const unanswered = answers.find((answer) => answer.status === 'rejected' && !isNo(answer.reason))
  if (addresses.length === 0 && unanswered)
    throw Object.assign(new Error('no name server answers'), { code: 'EAI_AGAIN' })
  return addresses
}

const NO: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/** The servers say that there is no such address; anything else says that they do not know. */
const isNo = (error: unknown) => error instanceof Error && 'code' in error && NO.has(error.code)
