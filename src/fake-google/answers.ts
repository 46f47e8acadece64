/** An answer as Google gives it: `status` from 400 on with Google's own words. */
export type Answer = { status: number; body: unknown; headers?: Record<string, string> }

export const ok = (body: unknown): Answer => ({ status: 200, body })
export const NOTHING: Answer = { status: 204, body: undefined }

/** What stops a request, thrown from wherever it is found. */
export class Refusal extends Error {
  readonly answer: Answer
  constructor(answer: Answer) {
    super(`answers ${answer.status}`)
    this.answer = answer
  }
}

/** In the form of the Gmail API. */
export function apiError(status: number, reason: string, message: string, retryAfter?: string): Answer {
  return {
    status,
    body: { error: { code: status, message, errors: [{ message, domain: 'global', reason }] } },
    ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
  }
}

/** In the form of the token endpoint. */
export function oauthError(status: number, error: string, description: string): Answer {
  return { status, body: { error, error_description: description } }
}

export const NOT_FOUND = apiError(404, 'notFound', 'Requested entity was not found.')

/** Google names the field that it does not know, and so does what plays it. */
export function onlyKnown(given: object, known: readonly string[], where: string): void {
  const stranger = Object.keys(given).find((name) => !known.includes(name))
  if (stranger !== undefined)
    throw new Refusal(
      apiError(400, 'badRequest', `Invalid ${where} received. Unknown name "${stranger}": Cannot find field.`),
    )
}
