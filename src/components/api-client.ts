import type { OperationName, Received, Sent } from '#lib/contract/over-the-wire.ts'

/** What went wrong with a request, in words for the person who made it. `status` is 0 when no answer came at all. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly details: unknown

  constructor(problem: { code: string; message: string; status: number; details?: unknown }) {
    super(problem.message)
    this.name = 'ApiError'
    this.code = problem.code
    this.status = problem.status
    this.details = problem.details
  }
}

type CallOptions = {
  /** The workspace that this tab is in; without it, the one that was switched to last, in whatever tab. */
  workspaceId?: string
  /** The version under which the caller saw what they change; where it is another by now, the answer is 412. */
  ifVersion?: number | string
  /** The same for each try of one wish: it is done once, however often it arrives. */
  idempotencyKey?: string
  signal?: AbortSignal
  /** For an operation that takes a file, in the place of a body. */
  form?: FormData
}

export type Call<Name extends OperationName> = Sent<Name> & CallOptions

/** The input may be left out where nothing of it is needed. */
type CallArguments<Name extends OperationName> = object extends Sent<Name> ? [call?: Call<Name>] : [call: Call<Name>]

/**
 * Calls an operation of the contract by its name, like `GET /api/lists/[id]`. Answers the `data` of a good answer, or
 * the file; everything else is thrown as an ApiError, except an abort, which stays one.
 */
export async function api<Name extends OperationName>(
  name: Name,
  ...[call]: CallArguments<Name>
): Promise<Received<Name>> {
  return ask(name, call ?? {}) as Promise<Received<Name>>
}

type AnyCall = CallOptions & {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

async function ask(name: OperationName, call: AnyCall): Promise<unknown> {
  const response = await send(name, call)
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  if (response.ok && !isJson) return readFile(response)
  const answer = await readJson(response)
  if (isGoodAnswer(answer)) return answer.data
  throw problemOf(answer, response.status)
}

async function readFile(response: Response): Promise<Blob> {
  try {
    return await response.blob()
  } catch {
    throw unreachable()
  }
}

/** Sounded on the window when an answer says that nobody is signed in any more; the shell leads to signing in. */
export const SESSION_ENDED = 'sendonce:session-ended'

/** Sounded when something is refused or not there: a role may have changed, or a membership ended. */
export const ACCESS_REFUSED = 'sendonce:access-refused'

export function problemOf(answer: unknown, status: number): ApiError {
  if (isProblemAnswer(answer)) {
    if (answer.error.code === 'not-signed-in') globalThis.window?.dispatchEvent(new Event(SESSION_ENDED))
    if (status === 403 || status === 404) globalThis.window?.dispatchEvent(new Event(ACCESS_REFUSED))
    return new ApiError({ ...answer.error, status })
  }
  return new ApiError({ code: 'UNREADABLE_ANSWER', message: sentenceForStatus(status), status })
}

/** A sentence to show for anything that was thrown; what is not an ApiError is a bug, and its text is not for people. */
export function messageOf(error: unknown): string {
  return error instanceof ApiError ? error.message : 'Something went wrong on our side. Please try again.'
}

export async function send(name: OperationName, call: AnyCall, accept = 'application/json'): Promise<Response> {
  const { params = {}, query = {}, body, form, workspaceId, ifVersion, idempotencyKey, signal } = call
  const [method, pattern = ''] = name.split(' ')
  const path = pattern.replace(/\[(\w+)\]/g, (_, part: string) => encodeURIComponent(params[part] ?? ''))
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([field, value]) => (value === undefined ? [] : [[field, String(value)]])),
  ).toString()
  const headers = new Headers({ accept })
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (workspaceId !== undefined) headers.set('x-workspace-id', workspaceId)
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey)
  if (ifVersion !== undefined) headers.set('if-match', `"${ifVersion}"`)
  try {
    return await fetch(search ? `${path}?${search}` : path, {
      method,
      signal,
      credentials: 'same-origin',
      headers,
      // The browser itself names the type of a form, with its boundary.
      body: form ?? (body === undefined ? undefined : JSON.stringify(body)),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw unreachable()
  }
}

async function readJson(response: Response): Promise<unknown> {
  let text: string
  try {
    text = await response.text()
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw unreachable()
  }
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export function unreachable(): ApiError {
  return new ApiError({
    code: 'UNREACHABLE',
    message: 'The server could not be reached. Check your connection, then try again.',
    status: 0,
  })
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

export function isGoodAnswer(answer: unknown): answer is { success: true; data: unknown } {
  return isRecord(answer) && answer.success === true && 'data' in answer
}

function isProblemAnswer(
  answer: unknown,
): answer is { success: false; error: { code: string; message: string; details?: unknown } } {
  return (
    isRecord(answer) &&
    answer.success === false &&
    isRecord(answer.error) &&
    typeof answer.error.code === 'string' &&
    typeof answer.error.message === 'string'
  )
}

function sentenceForStatus(status: number): string {
  if (status === 401) return 'You are signed out. Sign in, then try again.'
  if (status === 403) return 'You are not allowed to do this.'
  if (status === 404) return 'This is not there, or no longer.'
  if (status === 413) return 'This is too large to send.'
  if (status === 429) return 'Too many requests at once. Wait a moment, then try again.'
  if (status >= 500) return 'The server could not answer. It may be restarting; try again in a moment.'
  return 'The server gave an answer that could not be read. Try again in a moment.'
}
