import { describe, expect, test } from 'vitest'
import { readTracked, trackedPaths } from '#tests/support/source-files.ts'

const LINES_MAX = 100

const { text } = readTracked('src/decisions/tour.md')
const paths = new Set(trackedPaths())
const legs = [...text.matchAll(/^## \d+\. (.+) \((\d+) files, (\d+) borders?\)\n([\s\S]*?)(?=^## )/gm)].map(
  ([, name = '', files, borders, steps = '']) => ({
    name,
    files: Number(files),
    borders: Number(borders),
    named: [...steps.matchAll(/`([^`]+\.tsx?)`/g)].map(([, path = '']) => path),
  }),
)
const counts = [...text.matchAll(/^\|[^|]+\|[^|]+\| +(\d+) \|[^|]+\| +(\d+) \|$/gm)].map((row) =>
  row.slice(1).map(Number),
)

describe('the tour', () => {
  test('can be walked in a few minutes', () => {
    expect(text.split('\n').length).toBeLessThanOrEqual(LINES_MAX)
    expect(legs).toHaveLength(5)
  })

  test.each(legs)('leads to files that are there, each once, and counts them: $name', ({ named, files }) => {
    const lost = named.filter((path) => !paths.has(path.startsWith('app/') ? `src/${path}` : `src/lib/${path}`))
    expect(lost).toEqual([])
    expect([new Set(named).size, named.length]).toEqual([files, files])
  })

  test('says the same in its table', () => {
    expect(counts).toEqual(legs.map(({ files, borders }) => [files, borders]))
  })
})
