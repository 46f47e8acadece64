import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { PublicError } from '#lib/platform/api-response.ts'
import { chunksWithin, type Pace } from '#lib/platform/http/chunks-within.ts'
import { plainFileName } from './file-name.ts'
import { IMPORT_BYTES_MAX, type TakenFile, tooLarge, withImportFile } from './import-file.ts'

/** The options of a file with a thousand columns of the longest names. */
const OPTIONS_BYTES_MAX = 256 * 1024
/** The largest file with its options, and what stands around them. */
const FORM_BYTES_MAX = IMPORT_BYTES_MAX + OPTIONS_BYTES_MAX + 64 * 1024

/** Fifty megabytes at one and a half megabits a second. */
export const UPLOAD_PACE: Pace = { totalMs: 270_000, idleMs: 30_000 }

/**
 * Takes in a form with two parts, `file` and `options`, in any order: the file onto the disk while it comes, the options
 * as a text. A form that ends before its last boundary was cut short on its way, and nothing is done with it.
 */
export async function withUpload<T>(
  request: Request,
  work: (file: TakenFile, options: string | undefined, fileName: string | null) => Promise<T>,
  pace = UPLOAD_PACE,
): Promise<T> {
  const type = request.headers.get('content-type') ?? ''
  const form = openForm(type)
  if (!request.body) throw noFile()
  if (Number(request.headers.get('content-length') ?? 0) > FORM_BYTES_MAX) throw tooLarge()
  let options: string | undefined
  let refused: PublicError | undefined
  let fileName: string | null = null
  const file = Promise.withResolvers<Readable>()
  form.on('file', (_name, stream, written) => {
    fileName = plainFileName(written ?? '')
    // The parser tells of the end of a form in the middle by an event alone, perhaps before anybody reads the file.
    stream.on('error', (error) => stream.destroy(error))
    file.resolve(stream)
  })
  form.on('field', (name, value, _nameIsCut, isCut) => {
    if (name !== 'options') refused = badForm(`There is no part ${name.slice(0, 40)}; the parts are file and options.`)
    else if (isCut) refused = badForm('The options are too long.')
    else options = value
  })
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
    form.on(limit, () => {
      refused = badForm('A form holds one file and one part of options, and nothing else.')
    })
  const stop = new AbortController()
  const chunks = upTo(FORM_BYTES_MAX, chunksWithin(request.body, pace, stop.signal))
  const arrived = feed(form, chunks, stop.signal).catch((error: unknown) => {
    throw error instanceof PublicError ? error : cutShort()
  })
  arrived.then(() => file.reject(refused ?? noFile()), file.reject)
  // The parser leaves a file that has begun open when its form ends in the middle.
  arrived.catch((error: Error) => file.promise.then((stream) => stream.destroy(error)).catch(() => undefined))
  // Where the file came first, its promise is settled already and this rejection has no reader.
  file.promise.catch(() => undefined)
  try {
    return await withImportFile(untilCut(await file.promise, arrived), async (taken) => {
      await arrived
      if (refused) throw refused
      if (taken.bytes === 0) throw noFile()
      return work(taken, options, fileName)
    })
  } finally {
    stop.abort()
    await arrived.catch(() => undefined)
  }
}

/** The parser throws what it does not like about the type. */
function openForm(type: string) {
  try {
    if (/^multipart\/form-data\s*;.*\bboundary="?[^\s;"]/i.test(type))
      return new Busboy({
        headers: { 'content-type': type },
        isPartAFile: (name) => name === 'file',
        limits: { files: 1, fields: 1, parts: 2, fieldSize: OPTIONS_BYTES_MAX, headerPairs: 20 },
      })
  } catch {
    // Answered as any other type is.
  }
  throw new PublicError(415, 'not-a-form', 'Send a form (multipart/form-data) with the parts file and options.')
}

/** All of it into the form, no faster than its file is read. */
async function feed(form: Writable, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
  let broken: unknown
  form.on('error', (error) => {
    broken = error
  })
  for await (const chunk of chunks) {
    if (broken) throw broken
    if (!form.write(chunk)) await once(form, 'drain', { signal })
  }
  if (broken) throw broken
  const finished = once(form, 'finish', { signal })
  form.end()
  await finished
}

/** Why it was cut is known to the form: the file's own stream is told only that it was. */
async function* untilCut(stream: Readable, arrived: Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream) yield chunk
  } catch {
    await arrived
    throw cutShort()
  }
}

/** What is neither the file nor its options has no limit of its own. */
async function* upTo(bytesMax: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw tooLarge()
    yield chunk
  }
}

const noFile = () => new PublicError(400, 'no-file', 'The file is empty.')
const badForm = (sentence: string) => new PublicError(400, 'invalid-form', sentence)
const cutShort = () =>
  new PublicError(400, 'cut-short', 'Not all of the file arrived, so nothing was imported. Send it again.')
