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

interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON. */
  body?: unknown
  /** The workspace that this tab is in; without it, the one that was switched to last, in whatever tab. */
  workspaceId?: string
  signal?: AbortSignal
}

/** Answers the `data` of a good answer; everything else is thrown as an ApiError, except an abort, which stays one. */
export async function requestApi<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(path, options)
  const answer = await readJson(response)
  if (isGoodAnswer(answer)) return answer.data as T
  throw problemOf(answer, response.status)
}

/** For the addresses that answer with a file; a refusal comes as JSON there too. */
export async function requestFile(path: string, options: RequestOptions = {}): Promise<Blob> {
  const response = await send(path, options)
  if (!response.ok) throw problemOf(await readJson(response), response.status)
  try {
    return await response.blob()
  } catch {
    throw unreachable()
  }
}

/** Sounded on the window when an answer says that nobody is signed in any more; the shell leads to signing in. */
export const SESSION_ENDED = 'sendonce:session-ended'

/** Sounded when something is refused or not there: a role may have changed, or a membership ended, meanwhile. */
export const ACCESS_REFUSED = 'sendonce:access-refused'

function problemOf(answer: unknown, status: number): ApiError {
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

async function send(path: string, { method = 'GET', body, workspaceId, signal }: RequestOptions): Promise<Response> {
  const headers = new Headers({ accept: 'application/json' })
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (workspaceId !== undefined) headers.set('x-workspace-id', workspaceId)
  try {
    return await fetch(path, {
      method,
      signal,
      credentials: 'same-origin',
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
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

function unreachable(): ApiError {
  return new ApiError({
    code: 'UNREACHABLE',
    message: 'The server could not be reached. Check your connection, then try again.',
    status: 0,
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isGoodAnswer(answer: unknown): answer is { success: true; data: unknown } {
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
