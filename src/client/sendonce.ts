import type { Operations } from './operations.ts'

export type OperationName = keyof Operations

/** What the API refused, in its own words; `code` is for programs. Without any answer, `status` is 0. */
export class SendonceError extends Error {
  readonly status: number
  readonly code: string
  readonly details: unknown

  constructor(status: number, { code, message, details }: { code: string; message: string; details?: unknown }) {
    super(message)
    this.name = 'SendonceError'
    this.status = status
    this.code = code
    this.details = details
  }
}

type ClientOptions = {
  /** Where Sendonce is, like https://sendonce.example.com. */
  url: string
  /** An API key of the workspace. */
  key: string
  /** How often a request is sent before it is given up; 4 where nothing is said. */
  triesMax?: number
}

type CallOptions = {
  /** Of a POST: what names this one wish, such as the number of an order. Without it, each call is a wish of its own. */
  idempotencyKey?: string
  signal?: AbortSignal
}

type Call<Name extends OperationName> = Operations[Name]['sent'] & CallOptions

type CallArguments<Name extends OperationName> = object extends Operations[Name]['sent']
  ? [call?: Call<Name>]
  : [call: Call<Name>]

export type Sendonce = <Name extends OperationName>(
  name: Name,
  ...[call]: CallArguments<Name>
) => Promise<Operations[Name]['received']>

/**
 * A client of one workspace: `sendonce('POST /api/emails', { body: { … } })` answers the data, and throws a
 * SendonceError otherwise. What may have been done, but was not answered, is asked again under the same key, so that it
 * is never done twice.
 */
export function createSendonce({ url, key, triesMax = 4 }: ClientOptions): Sendonce {
  const client = async (name: OperationName, call: AnyCall = {}): Promise<unknown> => {
    const request = requestOf(new URL(url), key, name, call)
    const beganMs = performance.now()
    for (let tries = 1; ; tries += 1) {
      const { again, ...result } = await answerTo(request.clone(), call.signal)
      if ('data' in result) return result.data
      if (again?.isUnderWay && performance.now() - beganMs < UNDER_WAY_MS_MAX) {
        tries -= 1
        await pause(UNDER_WAY_PAUSE_MS, call.signal)
        continue
      }
      if (tries >= triesMax || !again || !mayRepeat(request)) throw result.error
      await pause(again.afterMs ?? 500 * 2 ** (tries - 1), call.signal)
    }
  }
  return client as Sendonce
}

/** Of a first request whose answer was lost: it answers within seconds, and its claim runs out after two minutes. */
const UNDER_WAY_PAUSE_MS = 1_000
const UNDER_WAY_MS_MAX = 60_000

type AnyCall = CallOptions & {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  form?: FormData
  ifVersion?: number | string
}

function requestOf(base: URL, key: string, name: string, call: AnyCall): Request {
  const [method = 'GET', pattern = ''] = name.split(' ')
  const path = pattern.replace(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(call.params?.[part] ?? ''))
  const url = new URL(base.pathname.replace(/\/$/, '') + path, base)
  for (const [field, value] of Object.entries(call.query ?? {}))
    if (value !== undefined) url.searchParams.set(field, String(value))
  const headers = new Headers({ authorization: `Bearer ${key}`, accept: 'application/json' })
  if (call.body !== undefined) headers.set('content-type', 'application/json')
  if (call.ifVersion !== undefined) headers.set('if-match', `"${call.ifVersion}"`)
  if (method === 'POST') headers.set('idempotency-key', call.idempotencyKey ?? crypto.randomUUID())
  const body = call.form ?? (call.body === undefined ? undefined : JSON.stringify(call.body))
  return new Request(url, { method, headers, body })
}

/** A POST has its key, and a GET changes nothing. */
const mayRepeat = ({ method }: Request) => method === 'POST' || method === 'GET'

type Again = { afterMs?: number; isUnderWay?: boolean }
type Result = { again?: Again } & ({ data: unknown } | { error: unknown })

async function answerTo(request: Request, signal?: AbortSignal): Promise<Result> {
  try {
    const response = await fetch(request, { signal })
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    if (response.ok && !isJson) return { data: await response.blob() }
    const answer: unknown = isJson ? await response.json() : undefined
    if (response.ok) return { data: isEnvelope(answer) && answer.success ? answer.data : answer }
    const error = new SendonceError(response.status, isEnvelope(answer) && !answer.success ? answer.error : UNREADABLE)
    return { error, again: againAfter(response, error) }
  } catch (error) {
    if (signal?.aborted) throw error
    return { error: new SendonceError(0, { ...UNREACHABLE, details: error }), again: {} }
  }
}

/** Where it is worth asking again, and from when on; nobody wants to wait longer than a minute in a call. */
function againAfter({ status, headers }: Response, { code }: SendonceError): Result['again'] {
  const seconds = Number(headers.get('retry-after') ?? 0)
  if (code === 'in-flight') return { isUnderWay: true }
  const isPassing = [429, 502, 503, 504].includes(status)
  if (!isPassing || seconds > 60) return undefined
  return seconds > 0 ? { afterMs: seconds * 1_000 } : {}
}

const UNREADABLE = { code: 'unreadable-answer', message: 'The answer could not be read.' }
const UNREACHABLE = { code: 'unreachable', message: 'Sendonce could not be reached.' }

type Envelope = { success: true; data: unknown } | { success: false; error: { code: string; message: string } }

function isEnvelope(answer: unknown): answer is Envelope {
  return typeof answer === 'object' && answer !== null && 'success' in answer && ('data' in answer || 'error' in answer)
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
