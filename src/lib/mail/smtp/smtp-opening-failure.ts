import type { RefusalErrorCode } from '#lib/email-scheduler/error-codes.ts'
import type { OpeningStage } from './smtp-conversation.ts'
import { providerWords, readReply, secretsOf, wantsEncryption } from './smtp-reply.ts'
import type { SmtpServer } from './smtp-server.ts'
import { tryAfterMs } from './try-after.ts'

export type OpeningFailure = {
  stage: OpeningStage
  /** nodemailer keeps the system's own code as `originalCode`. */
  error: NodeJS.ErrnoException & { originalCode?: string }
  /** What the server said last, where it is what failed. */
  reply: string
  /** Whether anything at all came from it. */
  hasSpoken: boolean
  /** This process stood still while time ran out. */
  isStalled: boolean
  server: Pick<SmtpServer, 'host' | 'port' | 'security' | 'login'>
}

type Why = {
  code: RefusalErrorCode
  scope: 'mailbox'
  reason?: string
  providerText?: string
  notBefore?: Date
}

/** Why a connection could not be opened, in words that say what to look at. All of it is about the mailbox: no message was in play. */
export function whyNotOpened(failure: OpeningFailure, now: Date): Why {
  const { reply, server } = failure
  const { code, reason } = meaningOf(failure)
  const waitMs = reply ? tryAfterMs(reply) : undefined
  return {
    code,
    scope: 'mailbox',
    ...(reason && { reason }),
    ...(reply && { providerText: providerWords(reply, secretsOf(server.login)) }),
    ...(waitMs !== undefined && { notBefore: new Date(now.getTime() + waitMs) }),
  }
}

type Meaning = { code: Why['code']; reason?: string }

function meaningOf({ stage, error, reply: text, hasSpoken, isStalled, server }: OpeningFailure): Meaning {
  const reply = readReply(text)
  if (reply?.code === 421) return { code: 'SERVICE_UNAVAILABLE' }
  const cause = error.originalCode ?? error.code ?? ''
  if (isTimeout(error) && isStalled) return { code: 'WORKER_STALLED' }
  if (isTimeout(error)) return { code: 'ETIMEDOUT', reason: timeoutReason(stage, hasSpoken, server) }
  switch (stage) {
    case 'name':
    case 'address':
      return { code: 'ENOTFOUND' }
    case 'connection':
      return noConnection(cause, server)
    case 'encryption':
      return noEncryption(cause, reply?.code, server)
    case 'greeting':
      if (reply && reply.code >= 400) return { code: 'GREETING_REFUSED' }
      if (text || error.code === 'EPROTOCOL') return { code: 'BAD_REPLY' }
      return { code: 'ECONNRESET', reason: closedReason(server) }
    case 'login':
      return noLogin(error, reply?.code, text, server)
  }
}

function isTimeout(error: OpeningFailure['error']): boolean {
  return error.code === 'ETIMEDOUT' || error.originalCode === 'ETIMEDOUT'
}

function timeoutReason(
  stage: OpeningStage,
  hasSpoken: boolean,
  { host, port, security }: OpeningFailure['server'],
): string {
  if (stage === 'connection')
    return `${host} did not answer on port ${port}. Check host and port; a firewall may be in between.`
  if (!hasSpoken) {
    const other = security === 'TLS' ? 'STARTTLS, choose STARTTLS' : 'TLS, choose TLS'
    return `${host} took the connection on port ${port} and said nothing. If the port is for ${other}.`
  }
  return `${host} stopped answering before the login was done. If it goes on doing so, ask its operator why.`
}

function noConnection(cause: string, { host, port }: OpeningFailure['server']): Meaning {
  if (cause === 'ECONNREFUSED')
    return {
      code: 'ECONNREFUSED',
      reason: `${host} refuses connections on port ${port}. Check host and port; if they are right, the server is down.`,
    }
  return cause === 'ECONNRESET' ? { code: 'ECONNRESET', reason: closedReason({ host }) } : { code: 'UNREACHABLE' }
}

function closedReason({ host }: Pick<SmtpServer, 'host'>): string {
  return `${host} closed the connection before the login was done. Check port and encryption.`
}

const CERTIFICATE_REASONS: Record<string, (host: string) => string> = {
  CERT_HAS_EXPIRED: (host) => `The certificate of ${host} has expired. Ask its operator to renew it.`,
  CERT_NOT_YET_VALID: (host) =>
    `The certificate of ${host} is not valid yet. Ask its operator, and check the clock here.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => `The certificate is for another name than ${host}. Check the host name.`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (host) => `Nobody vouches for the certificate of ${host}: it has signed it itself.`,
  SELF_SIGNED_CERT_IN_CHAIN: (host) => `Nobody we trust vouches for the certificate of ${host}.`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (host) =>
    `The certificate of ${host} comes without those that vouch for it. Ask its operator to send the whole chain.`,
}
const OTHER_CERTIFICATE_FAULT = /CERT|CRL|ISSUER|SELF_SIGNED|VERIFY/

function noEncryption(
  cause: string,
  refusedBy: number | undefined,
  { host, port, security }: OpeningFailure['server'],
): Meaning {
  const certificate = CERTIFICATE_REASONS[cause]
  if (certificate) return { code: 'CERTIFICATE_INVALID', reason: certificate(host) }
  if (OTHER_CERTIFICATE_FAULT.test(cause)) return { code: 'CERTIFICATE_INVALID' }
  if (refusedBy !== undefined)
    return {
      code: 'TLS_UNAVAILABLE',
      reason: `${host} offers no STARTTLS on port ${port}, and nothing is sent unencrypted. Try TLS with port 465.`,
    }
  const otherWay = security === 'TLS' ? 'STARTTLS (port 587)' : 'TLS (port 465)'
  return {
    code: 'TLS_FAILED',
    reason: `No encrypted connection to ${host} on port ${port} could be made. Perhaps it wants ${otherWay}.`,
  }
}

/** The server knows no login at all, or none with a password: nothing is wrong with the password. */
const NO_SUCH_COMMAND = new Set([500, 501, 502, 503, 504])

function noLogin(
  error: OpeningFailure['error'],
  code: number | undefined,
  text: string,
  { host, port }: OpeningFailure['server'],
): Meaning {
  if (error.code === 'ENOAUTH' || (code !== undefined && NO_SUCH_COMMAND.has(code)))
    return {
      code: 'LOGIN_UNSUPPORTED',
      reason: `${host} takes no login with a password on port ${port}. Check port and encryption.`,
    }
  if (code !== undefined && wantsEncryption({ code, text })) return { code: 'ENCRYPTION_NEEDED' }
  if (code !== undefined && code >= 500 && !isAboutThePassword(code, text)) return { code: 'LOGIN_REFUSED' }
  if (code !== undefined && code >= 500)
    return { code: 'AUTH_REVOKED', reason: `${host} refused the user name or password.${appPasswordHint(text)}` }
  if (code !== undefined && code >= 400) return { code: 'LOGIN_UNAVAILABLE' }
  if (text) return { code: 'BAD_REPLY' }
  return { code: 'ECONNRESET', reason: closedReason({ host }) }
}

const ABOUT_THE_PASSWORD =
  /\b[45]\.7\.(?:8|9|139)\b|password|passwd|credential|user ?name|\b(?:log-?in|auth(?:entication)?) (?:is )?(?:failed|failure|incorrect|invalid|denied|rejected|unsuccessful|error)|\b(?:invalid|bad|unknown|incorrect|wrong) (?:user|log-?in|account|auth)/i
const ABOUT_OUR_ADDRESS =
  /\b(?:ip|ips|client|host|network|address|connections?)\b.{0,60}\b(?:block|black|ban|list|den|reject|refus)|\b(?:blocked|blacklisted|banned|spamhaus|dnsbl|rbl)\b/i

/** The codes of RFC 4954 say so by themselves; of others only the words do. A blocked machine is no wrong password. */
function isAboutThePassword(code: number, text: string): boolean {
  if (ABOUT_OUR_ADDRESS.test(text)) return false
  return [530, 534, 535, 538].includes(code) || ABOUT_THE_PASSWORD.test(text)
}

function appPasswordHint(text: string): string {
  return /app(?:lication)?-?(?:specific)? ?password|5\.7\.9|basic authentication is disabled|5\.7\.139/i.test(text)
    ? ' It wants an app password, or its own permission for SMTP; make one in the provider’s account settings.'
    : ' Enter them again; providers with two-step sign-in want an app password.'
}
