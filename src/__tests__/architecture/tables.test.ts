import { expect, test } from 'vitest'
import { readTracked, sourceFiles } from '#tests/support/source-files.ts'

const { text: schema } = readTracked('prisma/schema.prisma')

/** Prisma's name of each model, and the table's. */
const tableOfModel = new Map(
  [...schema.matchAll(/model (\w+) \{[\s\S]*?@@map\("(\w+)"\)/g)].map((match) => [
    lowerFirst(match[1] ?? ''),
    match[2] ?? '',
  ]),
)

test('each table is written by one module', () => {
  const writers = new Map<string, Set<string>>()
  for (const file of sourceFiles('src/lib')) {
    const module = file.path.split('/')[2] ?? ''
    if (file.path.startsWith('src/lib/platform/generated/')) continue
    for (const table of tablesWrittenBy(file.text)) {
      writers.set(table, (writers.get(table) ?? new Set()).add(module))
    }
  }
  const shared = [...writers]
    .filter(([, modules]) => modules.size > 1)
    .map(([table, modules]) => `${table}: ${[...modules].join(', ')}`)
  expect(shared).toEqual([])
})

test('nothing outside src/lib writes a table', () => {
  const wrong = [...sourceFiles('src/app'), ...sourceFiles('src/components')].filter(
    (file) => tablesWrittenBy(file.text).size > 0,
  )
  expect(wrong.map((file) => file.path)).toEqual([])
})

function tablesWrittenBy(text: string): Set<string> {
  const tables = new Set(tableOfModel.values())
  const bySql = [...text.matchAll(/\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+"?(\w+)"?/gi)].map(
    (match) => match[1] ?? '',
  )
  const byPrisma = [
    ...text.matchAll(
      /\.(\w+)\.(?:create|createMany|createManyAndReturn|update|updateMany|updateManyAndReturn|upsert|delete|deleteMany)\(/g,
    ),
  ].map((match) => tableOfModel.get(match[1] ?? '') ?? '')
  return new Set([...bySql, ...byPrisma].filter((table) => tables.has(table)))
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1)
}
