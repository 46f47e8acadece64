import type { CsvFormat } from './import-file.ts'

type ReadAs = Pick<CsvFormat, 'encoding' | 'encodingBy' | 'startsWithPerson'>

/** What should be known of how a file was read, in sentences. */
export function notesOnFormat({ encoding, encodingBy, startsWithPerson }: ReadAs): string[] {
  const notes: string[] = []
  if (encodingBy === 'guess')
    notes.push(`The file is not UTF-8; it was read as ${encoding}. If names look wrong, choose another encoding.`)
  if (encodingBy === 'unsure')
    notes.push(`The file is not UTF-8, and fits ${encoding} badly. Choose the encoding in which the names look right.`)
  if (startsWithPerson) notes.push('The first line holds an address, so it was read as a person and not as a header.')
  return notes
}
