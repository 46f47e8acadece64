import type { Deadline } from '#lib/mail/deadline.ts'

/** Thrown before anything of the request's body was let go. */
export class NotLetGo extends Error {
  override readonly name = 'NotLetGo'
}

/**
 * As `fetch`, but the body is held back until it is asked for, once the connection is there, and the deadline is looked at
 * then and not left to a timer: a process that was stopped finds the open connection and the timer waiting together. Without
 * its body a request is none. After `isLetGo`, it may have arrived.
 */
export function gatedFetch(deadline: Deadline): { fetch: typeof fetch; isLetGo: () => boolean } {
  let letGo = false
  async function* gate(body: string) {
    if (deadline.isOver()) throw new NotLetGo('the time was over before the request left')
    letGo = true
    yield Buffer.from(body, 'utf8')
  }
  const gated: typeof fetch = (input, init = {}) => {
    const { body } = init
    if (typeof body !== 'string') {
      letGo = true
      return fetch(input, init)
    }
    // A generator is asked when the connection is there; a web stream would be read at once, and know nothing of it.
    return fetch(input, Object.assign({}, init, { body: gate(body), duplex: 'half' }))
  }
  return { fetch: gated, isLetGo: () => letGo }
}
