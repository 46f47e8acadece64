import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { isIP } from 'node:net'
import { ANSWER_BYTES_MAX, TIMEOUT_MS } from './limits.ts'
import { findTarget, type Reach } from './target.ts'

export type Answer =
  | { kind: 'answered'; status: number; body: string; retryAfter: string | undefined }
  | { kind: 'none'; problem: string }
  /** We ended it ourselves. The receiver may have it all the same, and gets it again. */
  | { kind: 'stopped' }

export type Message = { url: string; headers: Readonly<Record<string, string>>; body: string }

const HEADER_BYTES_MAX = 16_384

/**
 * One attempt. A redirect is an answer like any other and is never followed: where it leads was not looked at. At most so
 * much is read, however much is said, and all of it is over by one deadline. An answer is its status: a receiver that has
 * said 200 and dawdles over the rest has taken the event.
 */
export async function postEvent(
  message: Message,
  reach: Reach,
  signal: AbortSignal,
  msMax = TIMEOUT_MS,
): Promise<Answer> {
  const startedMs = performance.now()
  const target = await findTarget(message.url, reach, msMax)
  if (!target.ok) return { kind: 'none', problem: target.sentence }
  if (signal.aborted) return { kind: 'stopped' }
  const leftMs = Math.max(1, msMax - (performance.now() - startedMs))
  return ask(target, message, leftMs, signal)
}

function ask(
  { url, host, addresses }: { url: URL; host: string; addresses: readonly string[] },
  { headers, body }: Message,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve) => {
    const { request } = url.protocol === 'https:' ? https : http
    const payload = Buffer.from(body)
    const asked = request(url, {
      method: 'POST',
      // A connection of its own: one that was kept might lead to where the name led before.
      agent: false,
      lookup: pinnedTo(addresses),
      ...(url.protocol === 'https:' && isIP(host) === 0 && { servername: host }),
      maxHeaderSize: HEADER_BYTES_MAX,
      headers: {
        'content-type': 'application/json',
        'content-length': payload.length,
        'user-agent': 'Sendonce-Webhooks/1',
        ...headers,
      },
    })
    /** What there is of an answer, once its status came: of its body, what was there. */
    let answered: (() => void) | undefined
    const stop = () => {
      answered?.()
      end({ kind: 'stopped' })
    }
    const end = (answer: Answer) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(answer)
      asked.destroy()
    }
    const timer = setTimeout(() => {
      answered?.()
      end({ kind: 'none', problem: `No answer came within ${TIMEOUT_MS / 1000} seconds.` })
    }, timeoutMs)
    signal.addEventListener('abort', stop)
    asked.on('error', (error) => end({ kind: 'none', problem: inWords(error, host) }))
    asked.on('response', (response) => {
      const status = response.statusCode ?? 0
      const chunks: Buffer[] = []
      let bytes = 0
      const done = () =>
        end({
          kind: 'answered',
          status,
          body: readable(Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX)),
          retryAfter: response.headers['retry-after'],
        })
      answered = done
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes >= ANSWER_BYTES_MAX) done()
      })
      response.on('end', done)
      response.on('error', done)
      response.on('aborted', done)
    })
    asked.end(payload)
  })
}

function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all }, callback) => {
    const [first] = found
    if (all) callback(null, found)
    else if (first) callback(null, first.address, first.family)
  }
}

/** Postgres takes no zero bytes, and a page should not show what moves the cursor. */
function readable(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/[^\P{Cc}\n\t]/gu, '�')
}

const IN_WORDS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused: nothing listens there.',
  ECONNRESET: 'The connection was closed before an answer came.',
  EPIPE: 'The connection was closed before an answer came.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
  ETIMEDOUT: 'No connection could be made in time.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate was signed by an authority that is not known.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The certificate was signed by an authority that is not known, or a part of its chain is missing.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate was signed by an authority that is not known.',
  EPROTO: 'No encrypted connection could be made.',
}

function inWords(error: NodeJS.ErrnoException, host: string): string {
  const { code = '' } = error
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `The certificate is not for ${host}.`
  if (code.startsWith('HPE_')) return 'What came back is no answer of HTTP.'
  return IN_WORDS[code] ?? `The connection failed${code === '' ? '' : ` (${code})`}.`
}
