import { readAllowedHosts } from './host-safety.ts'
import { type OpenedSmtp, openSmtp } from './open-smtp.ts'
import type { AnySecurity } from './smtp-server.ts'

/** Opens the mailbox of the environment, which sends what the product itself has to say; its host is the operator's choice. */
export async function openSystemMailbox(url: string, now: () => Date): Promise<OpenedSmtp> {
  const { host, port, security, username, password } = accessIn(new URL(url))
  return openSmtp({ host, port, security, username }, password, now, { allowed: readAllowedHosts(host) })
}

type Access = { host: string; port: number; security: AnySecurity; username: string | null; password?: string }

function accessIn(url: URL): Access {
  const isTls = url.protocol === 'smtps:'
  const username = decodeURIComponent(url.username) || null
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (isTls ? 465 : 587),
    // A password must not travel in the clear because a machine on the way removed the offer of STARTTLS.
    security: isTls ? 'TLS' : username === null ? 'WHERE_OFFERED' : 'STARTTLS',
    username,
    ...(username !== null && { password: decodeURIComponent(url.password) }),
  }
}
