import { INVARIANTS } from '../doctor/invariants.ts'
import { WALKS, type Walk, type WalkName } from '../doctor/walks.ts'

/** One offence: which invariant, which row, and whose it is; nobody's where it is the installation's. */
export type Found = { invariant: string; key: string; workspaceId: string | null }

export type StepAnswer = { rows: number; last: string | null; found: Found[] }

type Question = { text: string; values: unknown[] }

/**
 * The next rows of a walk, with all that offends among them. The conditions stand in CASE, so that each is asked of each
 * row by itself and through an index: as joins, a few thousand rows could tempt the planner into reading a table.
 */
export function nextRows(name: Exclude<WalkName, 'installation'>, after: string | null, limit: number): Question {
  const { table, alias, key }: Walk = WALKS[name]
  const columns = key.map(({ column }) => column).join(', ')
  const begin = key.map(({ type }, index) => `$${index + 1}::${type}`).join(', ')
  const batch = `SELECT * FROM ${table} ${alias} WHERE (${columns}) > (${begin}) ORDER BY ${columns} LIMIT ${limit}`
  return { text: offendersAmong(name, batch), values: after?.split('/') ?? key.map(({ first }) => first) }
}

/** Rows that offended before, to see whether they still do. */
export function sameRows(name: Exclude<WalkName, 'installation'>, keys: readonly string[]): Question {
  const { table, alias, key }: Walk = WALKS[name]
  const wanted = key.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')
  const columns = key.map(({ column }) => column).join(', ')
  const batch = `SELECT ${alias}.* FROM unnest(${wanted}) AS wanted(${columns}) JOIN ${table} ${alias} USING (${columns})`
  return {
    text: offendersAmong(name, batch),
    values: key.map((_, index) => keys.map((one) => one.split('/')[index])),
  }
}

/** What is asked of the installation as a whole. */
export function ofInstallation(): Question {
  return {
    text: `SELECT 1 AS rows, NULL AS last,
      coalesce((SELECT json_agg(json_build_object('invariant', i.name, 'key', 'installation', 'workspaceId', NULL))
        FROM unnest(${conditionsOf('installation')}) AS i(name) WHERE i.name IS NOT NULL), '[]') AS found`,
    values: [],
  }
}

function offendersAmong(name: Exclude<WalkName, 'installation'>, batch: string): string {
  const { alias, key, workspace }: Walk = WALKS[name]
  const columns = key.map(({ column }) => `${alias}.${column}`)
  const keyText = `concat_ws('/', ${columns.join(', ')})`
  return `WITH batch AS MATERIALIZED (${batch})
    SELECT (SELECT count(*)::int FROM batch) AS rows,
      (SELECT ${keyText} FROM batch ${alias} ORDER BY ${columns.map((column) => `${column} DESC`).join(', ')} LIMIT 1) AS last,
      coalesce((SELECT json_agg(json_build_object('invariant', i.name, 'key', ${keyText}, 'workspaceId', ${workspace}))
        FROM batch ${alias} CROSS JOIN LATERAL unnest(${conditionsOf(name)}) AS i(name) WHERE i.name IS NOT NULL), '[]') AS found`
}

function conditionsOf(walk: WalkName): string {
  const cases = INVARIANTS.flatMap(({ name, looks }) =>
    looks.filter(({ over }) => over === walk).map(({ offends }) => `CASE WHEN ${offends} THEN '${name}' END`),
  )
  return `ARRAY[${cases.join(',\n')}]::text[]`
}
