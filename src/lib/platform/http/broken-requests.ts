import { randomUUID } from 'node:crypto'
import { type IncomingMessage, Server, STATUS_CODES } from 'node:http'
import type { Server as NetServer, Socket } from 'node:net'
import type { ApiResponse } from '#lib/platform/api-response.ts'
import { answerHeaders } from '#lib/platform/headers.ts'
import { log } from '#lib/platform/log.ts'

type Refusal = { status: number; code: string; message: string; allow?: string }

const NO_HTTP: Refusal = { status: 400, code: 'malformed-request', message: 'What was sent is no HTTP request.' }

const REFUSALS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'headers-too-large', message: 'The headers are larger than 16 kB.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, code: 'too-large', message: 'The chunks of the body are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'too-slow', message: 'The request did not arrive in time.' },
}

const NO_TUNNEL: Refusal = {
  ...{ status: 405, code: 'method-not-allowed', allow: 'GET, HEAD' },
  message: 'This is no proxy, and leads nowhere else.',
}

const known = new WeakSet<NetServer>()

/** What is no request never reaches a handler, and Node would answer it with a bare line. */
export function answerWhatIsNoRequest(server: NetServer): void {
  if (known.has(server) || !(server instanceof Server)) return
  known.add(server)
  // Nothing of ours speaks another protocol, but for the reloads of development: an upgrade would be held open unanswered.
  if (process.env.NODE_ENV === 'production') Object.assign(server, { shouldUpgradeCallback: () => false })
  // Node ends such a connection without a word.
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    refuse(socket, NO_TUNNEL)
    socket.destroySoon()
  })
  server.on(
    'clientError',
    (error: NodeJS.ErrnoException, socket: Socket & { _httpMessage?: { headersSent: boolean } }) => {
      if (socket.writable && !socket._httpMessage?.headersSent) refuse(socket, REFUSALS[error.code ?? ''] ?? NO_HTTP)
      socket.destroy(error)
    },
  )
}

function refuse(socket: Socket, { status, code, message, allow }: Refusal): void {
  const requestId = randomUUID()
  const answer: ApiResponse<never> = { success: false, error: { code, message } }
  const body = JSON.stringify(answer)
  const headers = [
    ['content-type', 'application/json'],
    ['content-length', String(Buffer.byteLength(body))],
    ['connection', 'close'],
    ...(allow ? [['allow', allow]] : []),
    ['x-request-id', requestId],
    ...answerHeaders(process.env.APP_URL?.startsWith('https:') ?? false),
  ]
  socket.write(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...headers.map(([name, value]) => `${name}: ${value}`),
      '',
      body,
    ].join('\r\n'),
  )
  log.info({ requestId, code, status }, 'refused what is no request')
}
