import { z } from 'zod'
import { NotLetGo } from './gated-fetch.ts'

/** What is known of a call that did not go well. Only the first three are definite: nothing was done by it. */
export type CallFailure =
  /** A whole answer with a status from 400 to 499. */
  | { kind: 'refused'; status: number; reason: string; text: string; retryAfter: string | null }
  /** No connection came about, or broke before the request was whole. */
  | { kind: 'unreached'; code: string; text: string }
  /** Our own time was over before it left. */
  | { kind: 'not-let-go' }
  /** It left, and what came back does not tell. */
  | { kind: 'unclear'; isTimeout: boolean; text: string }

/** Before a request leaves: its server was not found, did not take the connection, or could not prove who it is. */
const UNREACHED =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|ERR_TLS_CERT_ALTNAME_INVALID)$/

/** A proxy's or a front end's own time-out: whether the service behind it has had the request is not known. */
const NOT_DEFINITE: ReadonlySet<number> = new Set([408, 425, 499])

export function failureOf(error: unknown, wasLetGo: boolean): CallFailure {
  const chain = causesOf(error)
  if (chain.some((cause) => cause instanceof NotLetGo)) return { kind: 'not-let-go' }
  const answer = answerIn(chain[0])
  if (answer && answer.status >= 400 && answer.status < 500 && !NOT_DEFINITE.has(answer.status))
    return { kind: 'refused', ...answer }
  if (answer) return { kind: 'unclear', isTimeout: false, text: answer.text }
  const text = chain.map((cause) => (cause instanceof Error ? cause.message : String(cause))).join(': ')
  const code = chain.map(codeOf).find((each) => UNREACHED.test(each))
  // Without its body a request is none: nobody can have acted on it.
  if (!wasLetGo) return { kind: 'unreached', code: code ?? '', text }
  return { kind: 'unclear', isTimeout: chain.some(isTimeout), text }
}

function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = []
  for (let cause = error; cause !== undefined && cause !== null && !chain.includes(cause); ) {
    chain.push(cause)
    if (cause instanceof AggregateError) chain.push(...cause.errors)
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return chain
}

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''

const isTimeout = (error: unknown): boolean =>
  codeOf(error) === 'TimeoutError' || (error instanceof Error && error.name === 'TimeoutError')

const errorSchema = z.object({
  error: z.object({
    message: z.string().catch(''),
    errors: z.array(z.object({ reason: z.string().catch('') })).catch([]),
    details: z.array(z.object({ reason: z.string().catch('') })).catch([]),
  }),
})

type Answer = { status: number; reason: string; text: string; retryAfter: string | null }

function answerIn(error: unknown): Answer | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined
  const response = error.response
  if (typeof response !== 'object' || response === null || !('status' in response)) return undefined
  const status = Number(response.status)
  const data = 'data' in response ? response.data : undefined
  const said = errorSchema.safeParse(data)
  const { message = '', errors = [], details = [] } = said.success ? said.data.error : {}
  const reason = errors[0]?.reason || details[0]?.reason || ''
  const words = message || (typeof data === 'string' ? data.slice(0, 300) : '')
  const headers = 'headers' in response && response.headers instanceof Headers ? response.headers : undefined
  return {
    ...{ status, reason, retryAfter: headers?.get('retry-after') ?? null },
    text: [status, reason, words].filter(Boolean).join(' '),
  }
}
