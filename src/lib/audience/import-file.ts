import { createHash } from 'node:crypto'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PublicError } from '#lib/platform/api-response.ts'
import { type CsvFormat, decodeText, detectDelimiter, EncodingDetector } from './csv-format.ts'
import { type CsvRecord, readCsvRecords } from './csv-records.ts'

export const IMPORT_BYTES_MAX = 50 * 1024 * 1024
const CHUNK_BYTES = 64 * 1024

/** A file that was taken in whole: what it is, and its records, as often as they are asked for. */
export type ImportFile = {
  bytes: number
  sha256: Buffer
  format: CsvFormat
  records: () => AsyncGenerator<CsvRecord>
}

/**
 * Takes an upload in, onto the disk and never into memory, and gives it to `work`. Only then is known what it is: its
 * hash, by which an interrupted import is found again, and its encoding. A slow sender holds no database connection, and
 * one who breaks off has changed nothing. The file has no name any more before its first byte is written, so that
 * nothing of it is left behind however this process ends.
 */
export async function withImportFile<T>(
  upload: AsyncIterable<Uint8Array>,
  work: (file: ImportFile) => Promise<T>,
): Promise<T> {
  const handle = await openNameless()
  try {
    const { bytes, sha256, encoding } = await takeIn(upload, handle)
    const text = () => decodeText(readBack(handle, bytes), encoding)
    const { delimiter, sepLine } = await detectDelimiter(await startOf(text()))
    const format = { encoding, delimiter, sepLine }
    return await work({ bytes, sha256, format, records: () => readCsvRecords(text(), delimiter) })
  } finally {
    await handle.close()
  }
}

async function openNameless(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'sendonce-import-'))
  try {
    return await open(join(folder, 'upload.csv'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function takeIn(upload: AsyncIterable<Uint8Array>, handle: FileHandle) {
  const hash = createHash('sha256')
  const detector = new EncodingDetector()
  let bytes = 0
  for await (const chunk of upload) {
    if (bytes + chunk.byteLength > IMPORT_BYTES_MAX) {
      const megabytes = IMPORT_BYTES_MAX / 1024 / 1024
      throw new PublicError(413, 'too-large', `The file is larger than ${megabytes} MB. Split it and import the parts.`)
    }
    hash.update(chunk)
    detector.look(chunk)
    await writeAll(handle, chunk, bytes)
    bytes += chunk.byteLength
  }
  return { bytes, sha256: hash.digest(), encoding: detector.finish() }
}

async function writeAll(handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  let written = 0
  while (written < chunk.byteLength) {
    written += (await handle.write(chunk, written, chunk.byteLength - written, position + written)).bytesWritten
  }
}

async function* readBack(handle: FileHandle, bytes: number): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < bytes; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, position)
    if (bytesRead === 0) throw new Error('the file that was taken in has become shorter')
    yield chunk.subarray(0, bytesRead)
    position += bytesRead
  }
}

/** The first chunk of text, without a last line that may be cut. */
async function startOf(text: AsyncGenerator<string>): Promise<string> {
  const { value } = await text.next()
  await text.return(undefined)
  const start = value ?? ''
  const cut = start.length >= CHUNK_BYTES / 2 ? Math.max(start.lastIndexOf('\n'), start.lastIndexOf('\r')) : -1
  return cut === -1 ? start : start.slice(0, cut + 1)
}
