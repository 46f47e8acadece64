import { isAscii } from 'node:buffer'
import type { Encoding } from './encodings.ts'

export type EncodingReading =
  /** By the mark at the start, or because the bytes can hardly be anything else. */
  | { kind: 'known'; encoding: Encoding }
  /** It fits what Windows writes in the west. Other alphabets of one byte for each letter could look the same. */
  | { kind: 'guess'; encoding: Encoding }
  /** It fits no encoding well: a person has to say. */
  | { kind: 'unsure'; encoding: Encoding }
  | { kind: 'no-text'; sentence: string }

const FORMATS: readonly [start: string, sentence: string][] = [
  ['504b0304', 'This is an Excel workbook or another zip file. Save it as CSV (UTF-8) and send that.'],
  ['d0cf11e0', 'This is an old Excel workbook. Save it as CSV (UTF-8) and send that.'],
  ['25504446', 'This is a PDF. Export the people as CSV (UTF-8) and send that.'],
  ['1f8b', 'This is a compressed file. Unpack it and send what is in it.'],
  ['fffe0000', 'The file is in UTF-32, which is not read here. Save it as UTF-8 and send it again.'],
  ['0000feff', 'The file is in UTF-32, which is not read here. Save it as UTF-8 and send it again.'],
]
const UTF_32 = FORMATS.at(-1)?.[1] ?? ''

const MARKS: readonly [start: string, encoding: Encoding][] = [
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
]

/** Tells the encoding of a file while its bytes pass by, from all of them: one bad byte says nothing about the rest. */
export class EncodingEvidence {
  #start: Buffer = Buffer.alloc(0)
  #bytes = 0
  /** NULs at even and at odd places: the high halves of Latin letters in UTF-16. */
  readonly #nuls: [number, number] = [0, 0]
  readonly #strict = new TextDecoder('utf-8', { fatal: true })
  #isUtf8 = true
  readonly #utf8 = new Utf8Count()
  readonly #western = new WesternCount()

  look(bytes: Uint8Array): void {
    if (this.#start.length < 4) this.#start = Buffer.concat([this.#start, bytes]).subarray(0, 4)
    this.#countNuls(bytes)
    this.#bytes += bytes.length
    if (this.#isUtf8) this.#decode(bytes, true)
    this.#utf8.look(bytes)
    this.#western.look(bytes)
  }

  finish(): EncodingReading {
    const start = this.#start.toString('hex')
    const format = FORMATS.find(([bytes]) => start.startsWith(bytes))
    if (format) return { kind: 'no-text', sentence: format[1] }
    const mark = MARKS.find(([bytes]) => start.startsWith(bytes))
    if (mark) return { kind: 'known', encoding: mark[1] }
    const [even, odd] = this.#nuls
    if (even + odd > this.#bytes * 0.6) return { kind: 'no-text', sentence: UTF_32 }
    // An address is Latin letters in every language, so that a list of them is full of NULs.
    if (odd > this.#bytes * 0.2 && even < odd / 10) return { kind: 'known', encoding: 'utf-16le' }
    if (even > this.#bytes * 0.2 && odd < even / 10) return { kind: 'known', encoding: 'utf-16be' }
    if (this.#isUtf8) this.#decode(new Uint8Array(), false)
    if (this.#isUtf8) return { kind: 'known', encoding: 'utf-8' }
    // Letters of several bytes do not come about by chance.
    const { valid, invalid } = this.#utf8.finish()
    if (valid > invalid) return { kind: 'known', encoding: 'utf-8' }
    const isWestern = valid === 0 && this.#western.fits()
    return { kind: isWestern ? 'guess' : 'unsure', encoding: 'windows-1252' }
  }

  #countNuls(bytes: Uint8Array): void {
    for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) {
      if ((this.#bytes + at) % 2 === 0) this.#nuls[0] += 1
      else this.#nuls[1] += 1
    }
  }

  #decode(bytes: Uint8Array, stream: boolean): void {
    try {
      this.#strict.decode(bytes, { stream })
    } catch {
      this.#isUtf8 = false
    }
  }
}

/** How many letters of several bytes a file has in UTF-8, and how many places where it is not UTF-8. */
class Utf8Count {
  readonly #decoder = new TextDecoder('utf-8')
  #pending = false
  #valid = 0
  #invalid = 0

  look(bytes: Uint8Array): void {
    if (isAscii(bytes) && !this.#pending) return
    this.#count(this.#decoder.decode(bytes, { stream: true }))
    this.#pending = (bytes.at(-1) ?? 0) >= 0x80
  }

  finish(): { valid: number; invalid: number } {
    this.#count(this.#decoder.decode())
    return { valid: this.#valid, invalid: this.#invalid }
  }

  #count(text: string): void {
    for (const [character] of text.matchAll(/[^\0-\x7f]/gu)) {
      if (character === '\ufffd') this.#invalid += 1
      else this.#valid += 1
    }
  }
}

/** No characters at all in windows-1252. */
const UNDEFINED = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])
/** Between two letters, windows-1252 has these as letters, apostrophes, hyphens and middle dots; all others are signs. */
const IN_WORDS = new Set([
  0x83, 0x8a, 0x8c, 0x8e, 0x91, 0x92, 0x96, 0x97, 0x9a, 0x9c, 0x9e, 0x9f, 0xaa, 0xad, 0xb4, 0xb7, 0xba,
])
/** £ ¥ ¦ ¯ ³ ¹ ¼ ¾: no word begins with one, and in central Europe they are letters that names begin with. */
const BEGIN_NO_WORD = new Set([0xa3, 0xa5, 0xa6, 0xaf, 0xb3, 0xb9, 0xbc, 0xbe])
const SLAVIC = new Set([0x8a, 0x8e, 0x9a, 0x9e])
/** è ì ï ò ø ù, which windows-1250 has as č ě ď ň ř ů. */
const TWO_FACED = new Set([0xe8, 0xec, 0xef, 0xf2, 0xf8, 0xf9])

/** Whether bytes above ASCII stand as they do in western Europe: alone or in twos, and without signs in words. */
class WesternCount {
  #high = 0
  #odd = 0
  #slavic = 0
  #twoFaced = 0
  #run = 0
  #before = 0x20
  #last = 0x20

  look(bytes: Uint8Array): void {
    if (isAscii(bytes) && this.#last < 0x80) {
      this.#before = bytes.at(-2) ?? this.#last
      this.#last = bytes.at(-1) ?? this.#last
      return
    }
    for (const byte of bytes) this.#next(byte)
  }

  fits(): boolean {
    this.#next(0x20)
    return this.#odd * 10 < this.#high && !(this.#slavic > 0 && this.#twoFaced > 0)
  }

  #next(byte: number): void {
    const last = this.#last
    if (last >= 0x80) {
      this.#high += 1
      if (SLAVIC.has(last)) this.#slavic += 1
      if (TWO_FACED.has(last)) this.#twoFaced += 1
      const isLetter = last >= 0xc0 && last !== 0xd7 && last !== 0xf7
      this.#run += 1
      const isSign = !isLetter && !IN_WORDS.has(last) && isAsciiLetter(this.#before) && isAsciiLetter(byte)
      const beginsWord =
        BEGIN_NO_WORD.has(last) && this.#before < 0x80 && !isAsciiLetter(this.#before) && isAsciiLetter(byte)
      if (UNDEFINED.has(last) || isSign || beginsWord || this.#run > 2) this.#odd += 1
    } else this.#run = 0
    this.#before = last
    this.#last = byte
  }
}

const isAsciiLetter = (byte: number) => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a
