/** Every answer of the API. */
export type ApiResponse<T> = { success: true; data: T } | { success: false; error: ApiFailure }

export type ApiFailure = { code: string; message: string; details?: unknown }

/**
 * A failure that the caller may read: a code for programs, a sentence for people that says what to do.
 * Everything else that is thrown is a bug; its text goes to the log and never to the caller.
 */
export class PublicError extends Error {
  readonly status: number
  readonly code: string
  readonly details: unknown

  constructor(status: number, code: string, message: string, details?: unknown) {
    super(message)
    this.name = 'PublicError'
    this.status = status
    this.code = code
    this.details = details
  }
}

export const notFound = () =>
  new PublicError(404, 'not-found', 'There is nothing here, or it belongs to another workspace.')
