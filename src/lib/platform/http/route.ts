import { type ApiResponse, PublicError } from '#lib/platform/api-response.ts'
import { isServerAway, wasTooSlow } from '#lib/platform/connections/server-away.ts'
import { ownOrigins, refuseForeignOrigin } from '#lib/platform/csrf.ts'
import type { Sql } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { answerHeaders } from '#lib/platform/headers.ts'
import { type Log, log } from '#lib/platform/log.ts'
import type { Answered, Parsed, RouteShape, Told } from '#lib/platform/operation.ts'
import { type Expected, etagOf, readIfMatch } from '#lib/platform/rows/row-version.ts'
import { AnsweredBefore, claimKey, type KeptAnswer, type KeyStore } from './keyed.ts'
import { parseBody, parseParams, parseQuery } from './parse.ts'
import { answerOnTheWay, wantsProgress } from './progress.ts'
import { letGoOfBody } from './read-body.ts'
import { requestIdFrom } from './see-out.ts'

/** What a handler gets: the request's parts, parsed, and a log that carries the request's id. */
export type RouteInput<Shape> = {
  params: Parsed<Shape, 'params'>
  query: Parsed<Shape, 'query'>
  body: Parsed<Shape, 'body'>
  /**
   * Marks what the caller's Idempotency-Key stands for as done, in the transaction that does it, with the answer where
   * it is known by then. Without a key it does nothing.
   */
  keep: (tx: Sql, output?: Answered<Shape>) => Promise<void>
  /** For what is read by the handler itself: claims the key for a request with this content. */
  claimFor: (content: unknown) => Promise<void>
  /** The versions of what is changed that the caller takes as current. */
  expected: Expected
  request: Request
  requestId: string
  log: Log
  /** Tells those who want to know how far it has come; others wait for the answer. */
  tell: (progress: Told<Shape>) => void
  /** Added to the answer, also to one that refuses: cookies, Retry-After. */
  responseHeaders: Headers
}

/** What is known of a request before its query and body are read. */
export type RouteEntry<Shape = RouteShape> = Pick<
  RouteInput<Shape>,
  'params' | 'request' | 'requestId' | 'log' | 'responseHeaders'
>

type NextContext = { params: Promise<Record<string, string | string[] | undefined>> }

export type RouteHandler = ((request: Request, context: NextContext) => Promise<Response>) & {
  operation: RouteShape
}

/**
 * The edge, once for all routes: refuses what another site asks for, parses what came in, calls `handle`, answers in
 * the envelope, and lets no text of a bug out. The output's schema cuts the answer to what it names, so that a column
 * added later is not published by accident. A file is answered as a Response.
 */
export function route<Shape extends RouteShape>(
  shape: Shape,
  handle: (input: RouteInput<Shape>) => Promise<Answered<Shape>>,
): RouteHandler {
  return guardedRoute(shape, async () => undefined, handle)
}

/**
 * The same, with a look at who is asking before anything of the query and the body is read. `keysOf` says where the
 * answers under the caller's Idempotency-Key are kept, if the request has one.
 */
export function guardedRoute<Shape extends RouteShape, Entered>(
  shape: Shape,
  enter: (entry: RouteEntry<Shape>) => Promise<Entered>,
  handle: (input: RouteInput<Shape>, entered: Entered) => Promise<Answered<Shape>>,
  keysOf: (request: Request, entered: Entered) => KeyStore | undefined = () => undefined,
): RouteHandler {
  const handler = async (request: Request, context: NextContext): Promise<Response> => {
    const requestId = requestIdOf(request)
    const requestLog = log.child({ requestId, method: request.method, path: new URL(request.url).pathname })
    const responseHeaders = new Headers()
    let keys: KeyStore | undefined
    const refuse = async (error: unknown): Promise<Response> => {
      if (error instanceof AnsweredBefore) return replay(error.answer, requestId, requestLog)
      if (keys) await releaseKey(keys, requestLog)
      return answerFailure(error, requestId, requestLog)
    }
    try {
      refuseForeignOrigin(request, () => ownOrigins(env()))
      const params = parseParams(shape, await context.params) as Parsed<Shape, 'params'>
      const entry = { params, request, requestId, log: requestLog, responseHeaders }
      const entered = await enter(entry)
      const expected = expectedBy(shape, request)
      const query = parseQuery(shape, request) as Parsed<Shape, 'query'>
      const body = (await parseBody(shape, request)) as Parsed<Shape, 'body'>
      keys = keysOf(request, entered)
      const claimFor = (content: unknown) => claimKey(keys, { params, query, content })
      if (!shape.upload) await claimFor(body)
      const keep = async (tx: Sql, output?: Answered<Shape>) => keys?.keep(tx, answerToKeep(shape, output))
      const run = async (tell: (progress: Told<Shape>) => void) => {
        const output = await handle({ ...entry, expected, query, body, keep, claimFor, tell }, entered)
        if (output instanceof Response) {
          requestLog.info({ status: output.status }, 'done')
          return output
        }
        const answered = answerOf(shape, output)
        await keys?.fill(answered).catch((error) => requestLog.error({ error }, 'an answer was not kept'))
        requestLog.info({ status: answered.status }, 'done')
        return answerAgain(answered, requestId)
      }
      const { progress } = shape
      if (!progress || !wantsProgress(request))
        return withHeaders(await run(() => undefined), responseHeaders, requestId)
      const onTheWay = answerOnTheWay((tell) =>
        run((told) => tell(progress.parse(told))).catch((error: unknown) => refuse(error)),
      )
      return withHeaders(onTheWay, responseHeaders, requestId)
    } catch (error) {
      return withHeaders(await refuse(error), responseHeaders, requestId)
    } finally {
      letGoOfBody(request)
    }
  }
  return Object.assign(handler, { operation: shape })
}

function answerOf(shape: RouteShape, output: unknown): KeptAnswer & { body: string } {
  if (!shape.output) throw new Error(`${shape.method} ${shape.path} answers with something that it does not name`)
  const data = shape.output.parse(output)
  const location = locationOf(shape, data)
  const version = shape.versioned && partOf(data, shape.versioned)
  const headers = {
    ...(location && { location }),
    ...(version !== undefined && { etag: etagOf(String(version)) }),
  }
  return { status: location ? 201 : 200, headers, body: JSON.stringify(data) }
}

/** Where the answer is not known yet, that it is done is kept all the same. */
function answerToKeep(shape: RouteShape, output: unknown): KeptAnswer {
  return output === undefined ? { status: 200, headers: {}, body: null } : answerOf(shape, output)
}

function answerAgain({ status, headers, body }: KeptAnswer, requestId: string): Response {
  return new Response(`{"success":true,"data":${body}}`, {
    status,
    headers: {
      'content-type': 'application/json',
      'x-request-id': requestId,
      'cache-control': 'no-store',
      ...headers,
    },
  })
}

function replay(kept: KeptAnswer, requestId: string, requestLog: Log): Response {
  if (kept.body === null) return answerFailure(notKept(), requestId, requestLog)
  requestLog.info({ status: kept.status }, 'answered as before')
  const response = answerAgain(kept, requestId)
  response.headers.set('idempotency-replayed', 'true')
  return response
}

const notKept = () =>
  new PublicError(
    409,
    'answer-not-kept',
    'What this Idempotency-Key stands for was done, but its answer is not kept any more. Look at what is there.',
  )

/** A condition that nothing would look at is refused: the caller relies on it. */
function expectedBy({ method, versioned }: RouteShape, request: Request): Expected {
  const given = request.headers.get('if-match')
  if (given === null || method === 'GET') return undefined
  if (!versioned) throw new PublicError(400, 'if-match-not-taken', 'This takes no If-Match, since it edits nothing.')
  return readIfMatch(given)
}

/** Where what was made can be asked for; undefined where nothing was made. */
function locationOf({ makes }: RouteShape, data: unknown): string | undefined {
  if (!makes || (makes.unless && isTrue(partOf(data, makes.unless)))) return undefined
  if (makes.when && isAbsent(partOf(data, makes.when))) return undefined
  return makes.at.replace('[id]', () => String(partOf(data, makes.id ?? 'id')))
}

const isTrue = (value: unknown) => value === true
const isAbsent = (value: unknown) => value === undefined || value === false

function partOf(data: unknown, path: string): unknown {
  let part = data
  for (const name of path.split('.')) part = Object.getOwnPropertyDescriptor(part ?? {}, name)?.value
  return part
}

function withHeaders(response: Response, headers: Headers, requestId: string): Response {
  for (const [name, value] of headers) response.headers.append(name, value)
  response.headers.set('x-request-id', requestId)
  for (const [name, value] of answerHeaders(process.env.APP_URL?.startsWith('https:') ?? false))
    if (!response.headers.has(name)) response.headers.set(name, value)
  return response
}

export function answer(status: number, response: ApiResponse<unknown>, requestId: string): Response {
  return Response.json(response, { status, headers: { 'x-request-id': requestId, 'cache-control': 'no-store' } })
}

export function answerFailure(error: unknown, requestId: string, requestLog: Log): Response {
  if (error instanceof PublicError) {
    requestLog.info({ code: error.code, status: error.status }, 'refused')
    return refusal(error, requestId)
  }
  if (isServerAway(error) && !wasTooSlow(error)) {
    requestLog.error({ error, status: 503 }, 'failed, since the database is away')
    return refusal(databaseAway(), requestId)
  }
  requestLog.error({ error, status: 500 }, 'failed')
  const message = `Something went wrong on our side. Nothing was lost; try again, and if it happens again, quote ${requestId}.`
  return answer(500, { success: false, error: { code: 'internal', message } }, requestId)
}

const databaseAway = () =>
  new PublicError(
    503,
    'database-away',
    'A part of Sendonce, most likely its database, cannot be reached at the moment. Try again in a few seconds; under the same Idempotency-Key, nothing is done twice.',
    { retryAfterSeconds: RESTART_SECONDS },
  )

function refusal({ status, code, message, details }: PublicError, requestId: string): Response {
  const response = answer(status, { success: false, error: { code, message, details } }, requestId)
  const retryAfterSeconds = partOf(details, 'retryAfterSeconds')
  if (retryAfterSeconds !== undefined) response.headers.set('retry-after', String(retryAfterSeconds))
  return response
}

/** What a restart of Postgres takes. */
const RESTART_SECONDS = 5

const RELEASE_AGAIN_MS = [1_000, 3_000, 10_000, 30_000]

/**
 * A repeated request is not to wait for the end of the claim: where the database was away, the key is released as soon as
 * it is back. Nobody waits for that.
 */
async function releaseKey(keys: KeyStore, requestLog: Log): Promise<void> {
  const release = (tries: number): Promise<void> =>
    keys.release().catch((error: unknown) => {
      const pauseMs = RELEASE_AGAIN_MS[tries]
      requestLog.warn({ error, isTriedAgain: pauseMs !== undefined }, 'a key was not released')
      if (pauseMs !== undefined && isServerAway(error)) setTimeout(() => void release(tries + 1), pauseMs).unref()
    })
  await release(0)
}

export function requestIdOf(request: Request): string {
  return requestIdFrom(request.headers.get('x-request-id'))
}
