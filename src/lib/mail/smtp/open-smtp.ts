import type { Refused } from '#lib/email-scheduler/outcome.ts'
import { env } from '#lib/platform/env.ts'
import { type AllowedHosts, readAllowedHosts } from './host-safety.ts'
import { type ResolveName, resolveHost } from './resolve-host.ts'
import { resolverFor } from './resolve-name.ts'
import type { OpeningStage } from './smtp-conversation.ts'
import { refusedWith } from './smtp-refusal.ts'
import type { AnySecurity } from './smtp-server.ts'
import type { SmtpSettings } from './smtp-settings.ts'
import { createSmtpTransport, type SmtpTransport } from './smtp-transport.ts'

/** What differs where the outside world does: in a test, say. */
export type Surroundings = {
  resolve?: ResolveName
  allowed?: AllowedHosts
  /** Trusted besides what the system and NODE_EXTRA_CA_CERTS name. */
  ca?: string
  /** Told how far opening has come. */
  reached?: (stage: OpeningStage) => void
}

export type OpenedSmtp = { ok: true; transport: SmtpTransport } | { ok: false; stage: OpeningStage; outcome: Refused }

const RESOLVE_MS_MAX = 10_000

const NO_PASSWORD =
  'There is no password for this user name. Enter it; or empty the user name, if the server takes mail without a login.'

/** A way to a server that was looked up once and found harmless; every connection goes to the address found now. */
export async function openSmtp(
  { host, port, security, username }: Omit<SmtpSettings, 'security'> & { security: AnySecurity },
  password: string | undefined,
  now: () => Date,
  {
    allowed = readAllowedHosts(env().SMTP_ALLOW_PRIVATE_HOSTS),
    resolve = resolverFor(allowed),
    ca,
    reached = () => undefined,
  }: Surroundings = {},
): Promise<OpenedSmtp> {
  if (username !== null && password === undefined)
    return { ok: false, stage: 'login', outcome: refusedWith('MAILBOX_INCOMPLETE', 'mailbox', { reason: NO_PASSWORD }) }
  reached('name')
  const resolved = await resolveHost({ host, port, security }, allowed, resolve, RESOLVE_MS_MAX)
  if (!resolved.ok) {
    const { stage, code, reason } = resolved
    return { ok: false, stage, outcome: refusedWith(code, 'mailbox', { reason }) }
  }
  const login = username !== null && password !== undefined ? { login: { username, password } } : {}
  const server = { host, port, security, addresses: resolved.addresses, ...login, ...(ca && { ca }) }
  return { ok: true, transport: createSmtpTransport(server, now, reached) }
}
