import { readCsvRecords } from './csv-records.ts'

export const DELIMITERS = [',', ';', '\t', '|'] as const

export type Delimiter = (typeof DELIMITERS)[number]

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

export type CsvFormat = {
  encoding: Encoding
  delimiter: Delimiter /** Excel's first line, `sep=;`, is no header. */
  sepLine: boolean
}

const RECORDS_LOOKED_AT = 20

/** Tells the encoding of a file while its bytes pass by: by its mark, else UTF-8 if all of it is, else what Windows writes. */
export class EncodingDetector {
  #start: Buffer = Buffer.alloc(0)
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true })
  #isUtf8 = true

  look(bytes: Uint8Array): void {
    if (this.#start.length < 3) this.#start = Buffer.concat([this.#start, bytes]).subarray(0, 3)
    if (this.#isUtf8) this.#decode(bytes, true)
  }

  finish(): Encoding {
    const mark = this.#start.toString('hex')
    if (mark.startsWith('fffe')) return 'utf-16le'
    if (mark.startsWith('feff')) return 'utf-16be'
    if (this.#isUtf8) this.#decode(new Uint8Array(), false)
    return this.#isUtf8 ? 'utf-8' : 'windows-1252'
  }

  #decode(bytes: Uint8Array, stream: boolean): void {
    try {
      this.#utf8.decode(bytes, { stream })
    } catch {
      this.#isUtf8 = false
    }
  }
}

/** The text of a file, without the mark at its start. */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** The separator that cuts the first lines into the same number of cells, and into the most. */
export async function detectDelimiter(start: string): Promise<{ delimiter: Delimiter; sepLine: boolean }> {
  const named = /^sep=([,;|\t])\r?\n/i.exec(start)?.[1]
  if (isDelimiter(named)) return { delimiter: named, sepLine: true }
  let best: { delimiter: Delimiter; score: number } = { delimiter: ',', score: 0 }
  for (const delimiter of DELIMITERS) {
    const score = await scoreOf(start, delimiter)
    if (score > best.score) best = { delimiter, score }
  }
  return { delimiter: best.delimiter, sepLine: false }
}

/** How many records agree with the first, weighted by how many cells it has. Only one cell is no sign of a separator. */
async function scoreOf(start: string, delimiter: Delimiter): Promise<number> {
  let columns: number | undefined
  let agreeing = 0
  let records = 0
  for await (const record of readCsvRecords([start], delimiter)) {
    if (records === RECORDS_LOOKED_AT) break
    records += 1
    const found = 'cells' in record ? record.cells.length : 0
    columns ??= found
    if (found === columns) agreeing += 1
  }
  return columns === undefined || columns < 2 ? 0 : (agreeing / records) * 1_000 + columns
}

function isDelimiter(character: string | undefined): character is Delimiter {
  return DELIMITERS.some((delimiter) => delimiter === character)
}
