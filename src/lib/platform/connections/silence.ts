import { Socket } from 'node:net'
import type pg from 'pg'

/** A process that was stopped wakes up with its timers overdue and its answers unread: they get this long to be read. */
const GRACE_MS = 1_000

/**
 * Gives up a connection whose server has said nothing to a statement for `silenceMsMax`: the statement fails, its caller
 * goes on, and the pool opens another. By the socket's own timer and not by one for each statement, since it starts again with
 * every byte, and a large answer that keeps coming is no silence.
 */
export function giveUpWhenSilent(client: pg.ClientBase & { connection?: pg.Connection }, silenceMsMax: number): void {
  const stream = client.connection?.stream
  if (silenceMsMax === 0 || !(stream instanceof Socket)) return
  stream.setTimeout(silenceMsMax)
  stream.on('timeout', () => {
    // Unused, it is silent by nature; the next statement starts the timer again.
    if (!isAsked(client)) return
    const heard = stream.bytesRead
    setTimeout(() => {
      if (isAsked(client) && stream.bytesRead === heard)
        stream.destroy(new Error(`Postgres has said nothing for ${silenceMsMax / 1000} s: the connection is given up`))
    }, GRACE_MS)
  })
}

function isAsked(client: pg.ClientBase): boolean {
  return 'readyForQuery' in client && client.readyForQuery !== true
}
