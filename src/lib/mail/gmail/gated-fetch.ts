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
  const gate = (body: string): UnderlyingDefaultSource<Uint8Array> => ({
    pull(controller) {
      if (deadline.isOver()) return controller.error(new NotLetGo('the time was over before the request left'))
      letGo = true
      controller.enqueue(Buffer.from(body, 'utf8'))
      controller.close()
    },
  })
  const gated: typeof fetch = (input, init = {}) => {
    const { body } = init
    if (typeof body !== 'string') {
      letGo = true
      return fetch(input, init)
    }
    // Nothing is pulled ahead.
    const held = new ReadableStream(gate(body), { highWaterMark: 0 })
    return fetch(input, { ...init, body: held, duplex: 'half' } as RequestInit)
  }
  return { fetch: gated, isLetGo: () => letGo }
}
