import { z } from 'zod'
import { ANSWER_HEADERS } from '#tests/support/server/answer-headers.ts'
import type { RawAnswer } from '#tests/support/server/raw-request.ts'
import type { Ask } from './requests.ts'

const envelope = z.discriminatedUnion('success', [
  z.strictObject({ success: z.literal(true), data: z.unknown() }),
  z.strictObject({
    success: z.literal(false),
    error: z.strictObject({ code: z.string().min(1), message: z.string().min(1), details: z.unknown().optional() }),
  }),
])

/** Words of a library, of a database, or of a bug, where ours should stand. */
const NOT_OURS =
  /Invalid input|expected .*received|Too (big|small)|Unrecognized|violates|syntax error|undefined|\bat .*\.[jt]s:\d/

/** What may be answered with a 5xx, since it says what is the case elsewhere. */
export const OTHERS_FAULT: Readonly<Record<string, number>> = {
  // Its secret is not set in this installation.
  'GET /api/metrics': 503,
  // The mail server of the workspace refuses.
  'POST /api/sequences/[id]/test-send': 502,
}

const LARGEST_TAKEN = 5 * 1024 * 1024
/** More than this is not on its way by itself, unread. */
const SOCKET_BUFFER = 64 * 1024

export type Exchange = {
  ask: Ask
  answer: RawAnswer
  /** What was sent, with its ids. */
  sent: string
  secrets: readonly string[]
}

/** What is wrong with an answer, whatever it answers. */
export function complaintsAbout({ ask, answer, sent, secrets }: Exchange): string[] {
  const { status, headers, body } = answer
  const name = `${ask.operation.method} ${ask.operation.path}`
  const complaints: string[] = []
  if (isCutByCaller({ ask, answer, sent })) return []
  // Who sends more than is taken may find the line closed before the answer was read.
  if (!status) return sent.length > LARGEST_TAKEN ? [] : ['no answer']
  if (status >= 500 && OTHERS_FAULT[name] !== status) complaints.push('fails')
  for (const header of ANSWER_HEADERS)
    if (headers.get(header)?.length !== 1) complaints.push(`${header} ${headers.get(header)?.length ?? 0} times`)
  complaints.push(...complaintsAboutBody(ask, answer))
  const shown = secrets.filter((secret) => body.includes(secret) && !sent.includes(secret))
  if (shown.length > 0) complaints.push(`shows ${shown.join(', ')} of another workspace`)
  return complaints
}

/** A GET's body is read by nobody; where it is long, the end of the line takes a long answer with it. */
export function isCutByCaller({ ask, answer, sent }: Pick<Exchange, 'ask' | 'answer' | 'sent'>): boolean {
  return ask.method === 'GET' && !answer.isWhole && sent.length > SOCKET_BUFFER
}

const ON_THE_WAY = 'application/x-ndjson'

/** What would have been the whole answer. */
const endSchema = z.object({ status: z.number().max(499), answer: envelope })

const lastLine = (body: string) => body.split('\n').filter(Boolean).at(-1) ?? ''

/** What an answer came to: one that is told on the way has begun before that is known. */
export function statusOf({ status, headers, body }: RawAnswer): number {
  if (!headers.get('content-type')?.[0]?.startsWith(ON_THE_WAY)) return status
  return endSchema.safeParse(parsed(lastLine(body))).data?.status ?? status
}

function complaintsAboutBody({ operation, method, address }: Ask, { status, headers, body }: RawAnswer): string[] {
  const type = headers.get('content-type')?.[0] ?? ''
  if (status === 200 && operation.download === 'application/json') return parsed(body) ? [] : ['is no JSON']
  if (type.startsWith('application/json')) return complaintsAboutJson(body)
  if (type.startsWith(ON_THE_WAY)) {
    const last = lastLine(body)
    return endSchema.safeParse(parsed(last)).success ? [] : [`ends with ${last.slice(0, 200)}`]
  }
  if (body === '' && (method === 'HEAD' || [204, 304, 307, 308].includes(status))) return []
  if (status === 200 && operation.download && type.startsWith(operation.download)) return []
  // The proxy and Next lead addresses astray from the API to where they belong.
  if ([307, 308].includes(status)) return []
  // An address that leaves the API is a page's.
  if (/\.\.|%2e%2e/i.test(address) && type.startsWith('text/html')) return []
  return [`answers ${status} with ${type || 'no type'}: ${body.slice(0, 200)}`]
}

function complaintsAboutJson(body: string): string[] {
  const answer = envelope.safeParse(parsed(body))
  if (!answer.success) return [`has no envelope: ${body.slice(0, 200)}`]
  if (answer.data.success) return []
  const { message } = answer.data.error
  return NOT_OURS.test(message) ? [`says ${message.slice(0, 200)}`] : []
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** For a person who wants to see it again: what was sent, cut to what fits on a screen. */
export function described({ ask, answer, sent }: Exchange, complaints: readonly string[]): string {
  const request = sent.length > 1_500 ? `${sent.slice(0, 1_500)}… (${sent.length} bytes)` : sent
  const text = `${complaints.join('; ')}\n${ask.operation.method} ${ask.operation.path} as ${ask.caller}\n${request}\n→ ${answer.status} ${answer.body.slice(0, 500)}\n`
  // A part of a string holds all of it: of ten minutes of requests, four gigabytes.
  return Buffer.from(text).toString()
}
