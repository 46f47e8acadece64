import type { Encoding } from './encodings.ts'

const CHUNK_BYTES = 64 * 1024

/** Fills the buffer from a position of the file, and answers how many bytes there were. */
export type ReadBytes = (buffer: Buffer, position: number) => Promise<number>

/** A file as text, which can be read again from any of its characters without going through all before it. */
export class TextFile {
  readonly #read: ReadBytes
  readonly #encoding: Encoding
  /** Where pieces begin, for those that were read so far. */
  readonly #pieces: { at: number; byte: number }[] = [{ at: 0, byte: 0 }]

  constructor(read: ReadBytes, encoding: Encoding) {
    this.#read = read
    this.#encoding = encoding
  }

  async *from(start: number): AsyncGenerator<string> {
    let { at, byte } = this.#pieces.findLast((piece) => piece.at <= start) ?? { at: 0, byte: 0 }
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
      const bytesRead = await this.#read(buffer, byte)
      if (bytesRead === 0) return
      const length = bytesRead < CHUNK_BYTES ? bytesRead : wholeCharacters(buffer, this.#encoding)
      // A decoder for each piece: none of them begins or ends within a character.
      let text = new TextDecoder(this.#encoding, { ignoreBOM: true }).decode(buffer.subarray(0, length))
      if (byte === 0 && text.startsWith('\ufeff')) text = text.slice(1)
      const from = at
      at += text.length
      byte += length
      if (byte > (this.#pieces.at(-1)?.byte ?? 0)) this.#pieces.push({ at, byte })
      if (at > start) yield start > from ? text.slice(start - from) : text
    }
  }
}

/** How much of a full buffer ends with a character's last byte. */
function wholeCharacters(buffer: Buffer, encoding: Encoding): number {
  const { length } = buffer
  if (encoding === 'utf-16le' || encoding === 'utf-16be') {
    const high = buffer[encoding === 'utf-16le' ? length - 1 : length - 2] ?? 0
    return high >= 0xd8 && high <= 0xdb ? length - 2 : length
  }
  if (encoding !== 'utf-8') return length
  for (let back = 1; back <= 3; back += 1) {
    const byte = buffer[length - back] ?? 0
    if (byte < 0x80) return length
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? length - back : length
  }
  return length
}
