import { isPeerKnown } from '#lib/platform/client-address.ts'

/** When a request was there to be read, by this process's own clock; the front door alone writes it. */
export const ARRIVED_HEADER = 'x-sendonce-arrived'

/** A body of this length comes with its head, or right after it. */
const IN_ONE_PIECE_BYTES_MAX = 64 * 1024

let turnBeganMs: number | undefined

/**
 * For a request whose head is being read. All that are read in one turn of the event loop were there when it began: of a
 * thousand that come at once, the last is read when the others have been begun with, a second or more later.
 */
export function readAtMs(): number {
  if (turnBeganMs === undefined) {
    turnBeganMs = performance.now()
    // It comes once all that could be read in this turn has been.
    setImmediate(() => {
      turnBeganMs = undefined
    })
  }
  return turnBeganMs
}

/**
 * Since when the caller has been waiting for us. Of a body that takes its time to come, which is asked for once it has
 * been read, that is now.
 */
export function arrivedMs({ headers }: Request): number {
  const isInOnePiece = Number(headers.get('content-length') ?? Number.NaN) <= IN_ONE_PIECE_BYTES_MAX
  const written = Number(headers.get(ARRIVED_HEADER))
  return isPeerKnown() && isInOnePiece && written > 0 ? written : performance.now()
}
