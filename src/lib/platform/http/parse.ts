import { z } from 'zod'
import { PublicError } from '#lib/platform/api-response.ts'
import type { RouteShape } from '#lib/platform/operation.ts'
import { lookOver } from './known-fields.ts'
import { isText, notText, parseJson } from './parse-json.ts'
import { inOurWords, PROBLEMS_MAX, type Problem, problemsOf, shown } from './problems.ts'
import { readJson } from './read-body.ts'

const MEGABYTE = 1024 * 1024

/** What a stranger sends is a name, an address, a password or a token, and nothing longer. */
const STRANGERS_BYTES_MAX = 64 * 1024
const BODY_BYTES_MAX = 5 * MEGABYTE

/** An id of the wrong form names nothing, like one that does not exist. */
export function parseParams(shape: RouteShape, given: unknown): unknown {
  if (!shape.params) return undefined
  const parsed = shape.params.safeParse(given)
  if (parsed.success) return parsed.data
  throw new PublicError(404, 'not-found', 'There is nothing here, or it belongs to another workspace.')
}

export function parseQuery(shape: RouteShape, request: Request): unknown {
  const asked = new URL(request.url).searchParams
  const given = Object.fromEntries(asked)
  if (!isText(given)) throw notText()
  const repeated = Object.keys(given).filter((name) => asked.getAll(name).length > 1)
  const problems = repeated.map((name) => ({ path: shown(name), message: 'This is given more than once.' }))
  return parse(shape.query, given, problems, {
    code: 'invalid-query',
    message: 'The address holds something that does not fit',
  })
}

/** An operation that takes a file reads it itself; one that takes nothing, or only wishes, needs no body. */
export async function parseBody(shape: RouteShape, request: Request): Promise<unknown> {
  if (shape.upload || request.method === 'GET' || request.method === 'HEAD') return undefined
  const isForStrangers = shape.access === 'public' || shape.access === 'secret'
  const given = await readJson(request, isForStrangers ? STRANGERS_BYTES_MAX : (shape.bodyBytesMax ?? BODY_BYTES_MAX))
  return parse(shape.body ?? NOTHING, given === undefined ? {} : given, [], {
    code: 'invalid-input',
    message: 'Some of what was sent does not fit',
  })
}

/** JSON in a part of a form, held to the same as a body. */
export function parsePart<Schema extends z.ZodType>(name: string, schema: Schema, written: string): z.output<Schema> {
  const refusal = { code: `invalid-${name}`, message: `Some of the part “${name}” does not fit` }
  return parse(schema, parseJson(written, `part ${name}`), [], refusal) as z.output<Schema>
}

/** Of an operation that takes no body: what came all the same must be empty. */
const NOTHING = z.object({})

type Refusal = { code: string; message: string }

function parse(schema: z.ZodType | undefined, given: unknown, found: Problem[], refusal: Refusal): unknown {
  const { tooLong, unknown } = lookOver(schema, given)
  // What is too long is not looked into: it would only be long in problems.
  if (tooLong.length > 0) throw refuse(tooLong, refusal)
  const parsed = schema?.safeParse(given, { error: inOurWords })
  const problems = [...found, ...unknown, ...(parsed && !parsed.success ? problemsOf(parsed.error) : [])]
  if (problems.length > 0) throw refuse(problems.slice(0, PROBLEMS_MAX), refusal)
  return parsed?.data
}

function refuse(fields: Problem[], { code, message }: Refusal): PublicError {
  const [first] = fields
  const told = first ? `${message}: ${first.path ? `${first.path}: ` : ''}${first.message}` : message
  return new PublicError(400, code, /[.?]$/.test(told) ? told : `${told}.`, { fields })
}
