import { readTracked } from '#tests/support/source-files.ts'

const { text: schema } = readTracked('prisma/schema.prisma')

/** Prisma's name of each model, and the table's. */
const tableOfModel = new Map(
  [...schema.matchAll(/model (\w+) \{[\s\S]*?@@map\("(\w+)"\)/g)].map((match) => [
    lowerFirst(match[1] ?? ''),
    match[2] ?? '',
  ]),
)

const tables = new Set(tableOfModel.values())

export function tablesWrittenBy(text: string): Set<string> {
  const bySql = [...text.matchAll(/\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+"?(\w+)"?/gi)].map(
    (match) => match[1] ?? '',
  )
  const byPrisma = [
    ...text.matchAll(
      /\.(\w+)\.(?:create|createMany|createManyAndReturn|update|updateMany|updateManyAndReturn|upsert|delete|deleteMany)\(/g,
    ),
  ].map((match) => tableOfModel.get(match[1] ?? '') ?? '')
  return onlyTables([...bySql, ...byPrisma])
}

const ONE = String.raw`"?(?:\w+|\$\{\w+\})"?(?:\s+(?:AS\s+)?(?!JOIN|WHERE|LEFT|ON|SET|ORDER|CROSS)\w+)?`

/** Keywords stand in capitals, so that a comment that comes "from campaigns" is no query. */
export function tablesReadBy(text: string): Set<string> {
  const queries = text.replace(/\bDELETE\s+FROM\b/g, '')
  const lists = [...queries.matchAll(new RegExp(`\\b(?:FROM|JOIN|USING)\\s+(${ONE}(?:\\s*,\\s*${ONE})*)`, 'g'))]
  const names = lists.flatMap((match) => (match[1] ?? '').split(',').map((one) => /\w+/.exec(one)?.[0] ?? ''))
  // A table that is chosen at run time stands in the same file by its name.
  const isChosen = lists.some((match) => match[1]?.includes('$' + '{'))
  const chosen = isChosen ? [...text.matchAll(/'(\w+)'/g)].map((match) => match[1] ?? '') : []
  const byPrisma = [...text.matchAll(/\.(\w+)\.(?:find\w*|count|aggregate|groupBy)\(/g)].map(
    (match) => tableOfModel.get(match[1] ?? '') ?? '',
  )
  return onlyTables([...names, ...chosen, ...byPrisma])
}

function onlyTables(names: string[]): Set<string> {
  return new Set(names.filter((name) => tables.has(name)))
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1)
}
