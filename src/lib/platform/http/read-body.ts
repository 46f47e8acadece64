import { PublicError } from '#lib/platform/api-response.ts'
import { chunksWithin, type Pace } from './chunks-within.ts'
import { parseJson } from './parse-json.ts'

const PACE: Pace = { totalMs: 30_000, idleMs: 30_000 }

/** What all bodies that are being read at one moment may occupy in one process. */
const IN_FLIGHT_BYTES_MAX = 64 * 1024 * 1024

const KEPT_AT_FIRST_BYTES = 4 * 1024

let inFlightBytes = 0

/** Bodies above this are counted until their request is answered: what is made of them is as large again. */
const LARGE_BYTES = 5 * 1024 * 1024

const large = new WeakMap<Request, number>()

/** The request is answered. */
export function letGoOfBody(request: Request): void {
  inFlightBytes -= large.get(request) ?? 0
  large.delete(request)
}

/**
 * The body as JSON; undefined where none was sent. What is too large is refused by its announced length, before a byte
 * of it is read.
 */
export async function readJson(request: Request, bytesMax: number): Promise<unknown> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > bytesMax) throw tooLarge(bytesMax)
  const text = await readText(request, bytesMax)
  if (text.trim() === '') return undefined
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) {
    throw new PublicError(415, 'not-json', 'Send the body as JSON, with the header Content-Type: application/json.')
  }
  return parseJson(text, 'body')
}

async function readText(request: Request, bytesMax: number): Promise<string> {
  if (!request.body) return ''
  // Copied, and not kept as it came: a body in chunks of one byte would be a hundred times as large in memory.
  let kept = Buffer.alloc(KEPT_AT_FIRST_BYTES)
  let bytes = 0
  try {
    for await (const chunk of chunksWithin(request.body, PACE)) {
      const before = bytes
      bytes += chunk.byteLength
      inFlightBytes += chunk.byteLength
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      if (inFlightBytes > IN_FLIGHT_BYTES_MAX)
        throw new PublicError(503, 'too-busy', 'Too much is being sent at once. Try again in a few seconds.')
      if (bytes > kept.length) kept = Buffer.concat([kept], Math.max(bytes, kept.length * 2))
      kept.set(chunk, before)
    }
    return kept.toString('utf8', 0, bytes)
  } finally {
    if (bytes > LARGE_BYTES) large.set(request, bytes)
    else inFlightBytes -= bytes
  }
}

function tooLarge(bytesMax: number): PublicError {
  const most = bytesMax >= 1024 * 1024 ? `${bytesMax / 1024 / 1024} MB` : `${bytesMax / 1024} kB`
  return new PublicError(413, 'too-large', `The body is larger than ${most}.`)
}
