import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { refuseUnsureEncoding, withImportFile } from '#lib/audience/import/import-file.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { HOSTILE_FILES, type HostileFile } from '#tests/support/texts/hostile-files.ts'
import { type FileReading, readingOf } from '#tests/support/texts/readings.ts'

const PYTHON = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../support/texts/python-answers.json'), 'utf8'),
) as Record<string, FileReading>

const PAGE = readFileSync(join(import.meta.dirname, '../../../decisions/import-habits.md'), 'utf8')
const EXPLAINED = [...PAGE.matchAll(/^\| (?!file|-)(.+?) +\| .+ \| .+ \| .+ \|$/gm)].map((match) => match[1] ?? '')

/** As an import reads it: nothing is said of the file but its bytes, which come in small pieces. */
async function read({ bytes }: HostileFile): Promise<FileReading> {
  try {
    return await withImportFile(pieces(bytes), async (taken) => {
      const file = await taken.read({})
      refuseUnsureEncoding(file)
      const rows: string[][] = []
      let refused = 0
      for await (const record of file.records()) {
        if ('cells' in record) rows.push(record.cells)
        else refused += 1
      }
      return readingOf(rows, refused)
    })
  } catch (error) {
    if (error instanceof PublicError) return { error: error.code }
    throw error
  }
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1_001) yield bytes.subarray(at, at + 1_001)
}

test('there are ninety files, and Python was asked about each', () => {
  expect(HOSTILE_FILES).toHaveLength(90)
  expect(Object.keys(PYTHON)).toEqual(HOSTILE_FILES.map(({ name }) => name))
})

test('every difference that the page explains is the name of a file', () => {
  expect(EXPLAINED).toHaveLength(26)
  expect(EXPLAINED.filter((name) => !(name in PYTHON))).toEqual([])
})

describe('beside Python’s csv module', () => {
  test.each(HOSTILE_FILES.map((file) => [file.name, file] as const))('%s', async (name, file) => {
    const ours = await read(file)
    if (EXPLAINED.includes(name)) expect(ours).not.toEqual(PYTHON[name])
    else expect(ours).toEqual(PYTHON[name])
  })
})

test.each([
  [
    'a quote that never closes',
    {
      rows: [
        ['email', 'name'],
        ['b@example.com', 'B'],
        ['c@example.com', 'C'],
      ],
      refused: 1,
    },
  ],
  [
    'a stray quote before a quoted line',
    {
      rows: [
        ['email', 'name'],
        ['b@example.com', 'B'],
        ['c@example.com', 'C'],
      ],
      refused: 1,
    },
  ],
  [
    'a cell of twenty thousand lines',
    {
      rows: [
        ['email', 'name'],
        ['b@example.com', 'B'],
      ],
      refused: 1,
    },
  ],
  [
    'quotes behind a backslash at the end',
    {
      rows: [
        ['email', 'name', 'more'],
        ['a@example.com', 'say "hi"', 'x'],
      ],
      refused: 0,
    },
  ],
  [
    'spaces before quotes with a comma in them',
    {
      rows: [
        ['email', 'name'],
        ['a@example.com', 'Lee, Ann'],
      ],
      refused: 0,
    },
  ],
  [
    'UTF-8 with one bad byte',
    {
      rows: [
        ['email', 'name'],
        ['p0@example.com', 'Jürgen'],
        ['p1@example.com', 'Zoë'],
        ['o@example.com', 'Özil'],
      ],
      refused: 1,
    },
  ],
  ['UTF-32', { error: 'not-csv' }],
  ['latin-2', { error: 'encoding-unsure' }],
  ['windows-1251', { error: 'encoding-unsure' }],
])('%s is read as the page says', async (name, expected) => {
  const file = HOSTILE_FILES.find((one) => one.name === name)
  expect(file && (await read(file))).toEqual(expected)
})
