import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { type ApiResponse, PublicError } from './api-response.ts'
import { ownOrigins, refuseForeignOrigin } from './csrf.ts'
import { env } from './env.ts'
import { type Log, log } from './log.ts'

/** What a handler gets: the request's parts, parsed, and a log that carries the request's id. */
export type RouteInput<Params, Query, Body> = {
  params: Params
  query: Query
  body: Body
  request: Request
  requestId: string
  log: Log
  /** Added to the answer, also to one that refuses: cookies, Retry-After. */
  responseHeaders: Headers
}

/** What is known of a request before its body is read. */
export type RouteEntry<Params = unknown> = Pick<
  RouteInput<Params, unknown, unknown>,
  'params' | 'request' | 'requestId' | 'log' | 'responseHeaders'
>

export type Schemas<Params, Query, Body, Output> = {
  /** One line for the API reference. */
  summary: string
  /** The least role in the workspace that may call; absent where no workspace is entered. */
  role?: string
  params?: z.ZodType<Params>
  query?: z.ZodType<Query>
  body?: z.ZodType<Body>
  output: z.ZodType<Output>
}

type NextContext = { params: Promise<Record<string, string | string[] | undefined>> }

export type RouteHandler = ((request: Request, context: NextContext) => Promise<Response>) & {
  definition: Schemas<unknown, unknown, unknown, unknown>
}

/**
 * The edge, once for all routes: refuses what another site asks for, parses what came in, calls `handle`, answers in
 * the envelope, and lets no text of a bug out. `output` cuts the answer to what the schema names, so that a column
 * added later is not published by accident. A file is answered as a Response.
 */
export function route<Params = unknown, Query = unknown, Body = unknown, Output = unknown>(
  schemas: Schemas<Params, Query, Body, Output>,
  handle: (input: RouteInput<Params, Query, Body>) => Promise<Output | Response>,
): RouteHandler {
  return guardedRoute(schemas, async () => undefined, handle)
}

/** The same, with a look at who is asking before anything of the query and the body is read. */
export function guardedRoute<Params, Query, Body, Output, Entered>(
  schemas: Schemas<Params, Query, Body, Output>,
  enter: (entry: RouteEntry<Params>) => Promise<Entered>,
  handle: (input: RouteInput<Params, Query, Body>, entered: Entered) => Promise<Output | Response>,
): RouteHandler {
  const handler = async (request: Request, context: NextContext): Promise<Response> => {
    const requestId = requestIdOf(request)
    const requestLog = log.child({ requestId, method: request.method, path: new URL(request.url).pathname })
    const responseHeaders = new Headers()
    try {
      refuseForeignOrigin(request, () => ownOrigins(env()))
      const params = parse(schemas.params, await context.params, notAnId)
      const entry = { params, request, requestId, log: requestLog, responseHeaders }
      const entered = await enter(entry)
      const given = Object.fromEntries(new URL(request.url).searchParams)
      if (!isText(given)) throw notText()
      const query = parse(schemas.query, given, invalidQuery)
      const body = schemas.body ? parse(schemas.body, await readJson(request), invalidBody) : (undefined as Body)
      const output = await handle({ ...entry, query, body }, entered)
      // One line for whatever was changed; a look changes nothing.
      if (request.method !== 'GET')
        requestLog.info({ status: output instanceof Response ? output.status : 200 }, 'done')
      if (output instanceof Response) return withHeaders(output, responseHeaders, requestId)
      const data = schemas.output.parse(output)
      return withHeaders(answer(200, { success: true, data }, requestId), responseHeaders, requestId)
    } catch (error) {
      return withHeaders(answerFailure(error, requestId, requestLog), responseHeaders, requestId)
    }
  }
  return Object.assign(handler, { definition: schemas as Schemas<unknown, unknown, unknown, unknown> })
}

function withHeaders(response: Response, headers: Headers, requestId: string): Response {
  for (const [name, value] of headers) response.headers.append(name, value)
  response.headers.set('x-request-id', requestId)
  return response
}

export function answer(status: number, response: ApiResponse<unknown>, requestId: string): Response {
  return Response.json(response, { status, headers: { 'x-request-id': requestId, 'cache-control': 'no-store' } })
}

export function answerFailure(error: unknown, requestId: string, requestLog: Log): Response {
  if (error instanceof PublicError) {
    requestLog.info({ code: error.code, status: error.status }, 'refused')
    const { code, message, details } = error
    return answer(error.status, { success: false, error: { code, message, details } }, requestId)
  }
  requestLog.error({ error }, 'failed')
  const message = `Something went wrong on our side. Nothing was lost; try again, and if it happens again, quote ${requestId}.`
  return answer(500, { success: false, error: { code: 'internal', message } }, requestId)
}

/** A caller's own id is kept when it is harmless to write into a log. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id')
  return given && /^[\w.-]{8,64}$/.test(given) ? given : randomUUID()
}

function parse<T>(schema: z.ZodType<T> | undefined, value: unknown, refuse: (error: z.ZodError) => PublicError): T {
  if (!schema) return undefined as T
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw refuse(parsed.error)
  return parsed.data
}

const BODY_BYTES_MAX = 5 * 1024 * 1024

async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\b/i.test(type)) {
    throw new PublicError(415, 'not-json', 'Send the body as JSON, with the header Content-Type: application/json.')
  }
  const text = await readText(request, BODY_BYTES_MAX)
  const body = parseJson(text)
  if (!isText(body)) throw notText()
  return body
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new PublicError(400, 'malformed-json', 'The body is not valid JSON.')
  }
}

/** What Postgres can keep and every reader show: no NUL and no half of a surrogate pair, in names or in values. */
function isText(given: unknown): boolean {
  // Not by recursion: a body may be nested deeper than the stack.
  const left = [given]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === 'string' && (!value.isWellFormed() || value.includes('\0'))) return false
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) for (const name of Object.keys(value)) left.push(name)
    for (const part of Object.values(value)) left.push(part)
  }
  return true
}

const notText = () =>
  new PublicError(400, 'not-text', 'Some of what was sent holds characters that no text has: NUL, or half a character.')

async function readText(request: Request, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > bytesMax)
      throw new PublicError(413, 'too-large', `The body is larger than ${bytesMax / 1024 / 1024} MB.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** An id of the wrong form names nothing, like one that does not exist. */
const notAnId = () => new PublicError(404, 'not-found', 'There is nothing here, or it belongs to another workspace.')
const invalidQuery = (error: z.ZodError) =>
  invalid('invalid-query', 'The address holds a value that does not fit', error)
const invalidBody = (error: z.ZodError) => invalid('invalid-input', 'Some of what was sent does not fit', error)

function invalid(code: string, message: string, error: z.ZodError): PublicError {
  const fields = error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
  const first = fields[0]
  const told = first ? `${message}: ${first.path ? `${first.path}: ` : ''}${first.message}` : message
  return new PublicError(400, code, told.endsWith('.') ? told : `${told}.`, { fields })
}
