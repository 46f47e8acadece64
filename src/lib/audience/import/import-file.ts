import { createHash } from 'node:crypto'
import { constants, type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readAddress } from '#lib/audience/address.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { type DelimiterReading, detectDelimiter } from './csv-format.ts'
import { type CsvRecord, readCsvRecords } from './csv-records.ts'
import { EncodingEvidence, type EncodingReading } from './encoding.ts'
import { ENCODINGS, type Encoding } from './encodings.ts'
import { TextFile } from './text-file.ts'

export const IMPORT_BYTES_MAX = 50 * 1024 * 1024
const START_LENGTH = 32 * 1024

/** What the sender says of the file; what is absent is found out. */
export type FileChoice = { encoding?: Encoding | undefined; delimiter?: string | undefined }

/** `unsure`: it fits no encoding well, and `encoding` is only the first to try. */
export type EncodingBy = 'chosen' | 'evidence' | 'guess' | 'unsure'

export type CsvFormat = {
  encoding: Encoding
  encodingBy: EncodingBy
  delimiter: string
  delimiterBy: 'chosen' | 'first-line' | 'evidence'
  /** The first record holds an address: it is a person, and no header. */
  startsWithPerson: boolean
}

/** A file that was taken in whole: what it is, and its records, as often as they are asked for. */
export type ImportFile = {
  sha256: Buffer
  format: CsvFormat
  records: () => AsyncGenerator<CsvRecord>
}

/** What is known of a file before anybody has said how to read it. */
export type TakenFile = { bytes: number; sha256: Buffer; read: (choice: FileChoice) => Promise<ImportFile> }

/**
 * Takes an upload in, onto the disk and never into memory, and gives it to `work`. Only then is known what it is: its
 * hash, by which an interrupted import is found again, and its encoding. A slow sender holds no database connection, and
 * one who breaks off has changed nothing. The file has no name any more before its first byte is written, so that
 * nothing of it is left behind however this process ends.
 */
export async function withImportFile<T>(
  upload: AsyncIterable<Uint8Array>,
  work: (file: TakenFile) => Promise<T>,
): Promise<T> {
  const handle = await openNameless()
  try {
    const { bytes, sha256, reading } = await takeIn(upload, handle)
    return await work({ bytes, sha256, read: (choice) => readAs(handle, sha256, reading, choice) })
  } finally {
    await handle.close()
  }
}

async function readAs(
  handle: FileHandle,
  sha256: Buffer,
  reading: EncodingReading,
  choice: FileChoice,
): Promise<ImportFile> {
  if (reading.kind === 'no-text') throw new PublicError(415, 'not-csv', reading.sentence)
  const encoding = choice.encoding ?? reading.encoding
  const readBytes = async (buffer: Buffer, position: number) => {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    return bytesRead
  }
  const text = new TextFile(readBytes, encoding)
  const found = await detectDelimiter(await startOf(text))
  const delimiter = choice.delimiter ?? found.delimiter
  const records = () =>
    withoutDamaged(
      readCsvRecords((from) => text.from(from), delimiter, found.start),
      encoding,
    )
  const format: CsvFormat = {
    encoding,
    encodingBy: choice.encoding ? 'chosen' : BY[reading.kind],
    delimiter,
    delimiterBy: choice.delimiter ? 'chosen' : delimiterBy(found),
    startsWithPerson: await holdsAddress(records()),
  }
  return { sha256, format, records }
}

const BY = { known: 'evidence', guess: 'guess', unsure: 'unsure' } as const satisfies Record<string, EncodingBy>

const delimiterBy = ({ isNamed }: DelimiterReading) => (isNamed ? 'first-line' : 'evidence')

/** An encoding that cannot be told is asked for, before names become other names. */
export function refuseUnsureEncoding({ format }: ImportFile): void {
  if (format.encodingBy !== 'unsure') return
  throw new PublicError(
    409,
    'encoding-unsure',
    'The file is not UTF-8, and its letters fit no other encoding well enough to guess. Save it as UTF-8, or say which encoding it has.',
    { encodings: ENCODINGS },
  )
}

/** What a decoder puts where bytes say nothing: the letter is lost, and its line would bring a wrong name in. */
async function* withoutDamaged(records: AsyncGenerator<CsvRecord>, encoding: Encoding): AsyncGenerator<CsvRecord> {
  const problem = `The line holds bytes that are no text in ${encoding}, so that a letter is lost.`
  for await (const record of records) {
    const isDamaged = 'cells' in record && record.cells.some((cell) => cell.includes('\ufffd'))
    yield isDamaged ? { line: record.line, problem } : record
  }
}

async function holdsAddress(records: AsyncGenerator<CsvRecord>): Promise<boolean> {
  for await (const record of records) return 'cells' in record && record.cells.some((cell) => readAddress(cell).ok)
  return false
}

/** Linux's O_TMPFILE, which Node has no name for: a file that never had a name. */
const NAMELESS = process.platform === 'linux' ? 0o20000000 | constants.O_DIRECTORY : undefined

/** Where the system has no files without a name, one is made and its name taken away; a kill in between leaves it, empty. */
async function openNameless(): Promise<FileHandle> {
  if (NAMELESS !== undefined) {
    const handle = await open(tmpdir(), constants.O_RDWR | NAMELESS, 0o600).catch(() => undefined)
    if (handle) return handle
  }
  const folder = await mkdtemp(join(tmpdir(), 'sendonce-import-'))
  try {
    return await open(join(folder, 'upload.csv'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function takeIn(upload: AsyncIterable<Uint8Array>, handle: FileHandle) {
  const hash = createHash('sha256')
  const evidence = new EncodingEvidence()
  let bytes = 0
  for await (const chunk of upload) {
    if (bytes + chunk.byteLength > IMPORT_BYTES_MAX) throw tooLarge()
    hash.update(chunk)
    evidence.look(chunk)
    await writeAll(handle, chunk, bytes)
    bytes += chunk.byteLength
  }
  return { bytes, sha256: hash.digest(), reading: evidence.finish() }
}

export function tooLarge(): PublicError {
  const megabytes = IMPORT_BYTES_MAX / 1024 / 1024
  return new PublicError(413, 'too-large', `The file is larger than ${megabytes} MB. Split it and import the parts.`)
}

async function writeAll(handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  let written = 0
  while (written < chunk.byteLength) {
    written += (await handle.write(chunk, written, chunk.byteLength - written, position + written)).bytesWritten
  }
}

/** The first piece of text, without a last line that may be cut. */
async function startOf(file: TextFile): Promise<string> {
  const text = file.from(0)
  const { value } = await text.next()
  await text.return(undefined)
  const start = value ?? ''
  const cut = start.length >= START_LENGTH ? Math.max(start.lastIndexOf('\n'), start.lastIndexOf('\r')) : -1
  return cut === -1 ? start : start.slice(0, cut + 1)
}
