import { PublicError } from '#lib/platform/api-response.ts'

/** How long a body may take, from its first byte to its last, and how long it may be silent in between. */
export type Pace = { totalMs: number; idleMs: number }

/**
 * What arrives of a body, as it arrives, as long as it keeps pace: a client that stops in the middle is let go. The time
 * that the reader takes with a chunk is not the client's. `stop` ends it in the middle of a silence.
 */
export async function* chunksWithin(
  body: ReadableStream<Uint8Array>,
  pace: Pace,
  stop?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  stop?.addEventListener('abort', () => cancel(reader))
  let late: PublicError | undefined
  // A cancelled reader answers at once that it is done. A race would keep a record of every chunk until the last one.
  const giveUp = (message: string) => {
    late ??= new PublicError(408, 'too-slow', message)
    cancel(reader)
  }
  const total = setTimeout(giveUp, pace.totalMs, `Not all of it arrived within ${inSeconds(pace.totalMs)}.`)
  try {
    for (;;) {
      const idle = setTimeout(giveUp, pace.idleMs, `Nothing more of it arrived for ${inSeconds(pace.idleMs)}.`)
      const { done, value } = await reader
        .read()
        .catch(() => {
          // Nobody hears it any more; it must not stand in the log as a failure of ours.
          throw late ?? new PublicError(400, 'broken-off', 'The connection ended before all of it had arrived.')
        })
        .finally(() => clearTimeout(idle))
      if (late) throw late
      if (done) return
      yield value
    }
  } finally {
    clearTimeout(total)
    cancel(reader)
  }
}

/** Not awaited: a client that has gone silent would never let it end. */
function cancel(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  void reader.cancel().catch(() => undefined)
}

const inSeconds = (ms: number) => `${ms / 1_000} seconds`
