/**
 * An array parameter from values that need no quoting (ids, numbers, dates, keys made of ids). pg would quote and
 * escape each of them, which is most of the time of a large insert.
 */
export function plainArray(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`
}

/** Of more than this, how many there are makes a plan worth its time. */
const BATCH_MAX = 100

/**
 * Among the ids of an array parameter, in a statement that is `prepared`. Where Postgres sees how many there are, a plan for
 * these few looks cheaper than the one that it could keep, and it plans anew each time, which takes longer than carrying it
 * out. Into a subquery it does not look, and counts on ten: so it is shown thousands, which it would else look for one by
 * one in each row.
 */
export function amongIds(parameter: string, { length }: { length: number }): string {
  return length > BATCH_MAX ? `ANY(${parameter}::uuid[])` : `ANY((SELECT ${parameter})::uuid[])`
}

/** Rows from the array parameters `$1` on, of these types and of a batch: as many as they are, their statement is not planned anew. */
export function unnested(...types: readonly string[]): string {
  return `unnest(${types.map((type, index) => `(SELECT $${index + 1}::${type}[])`).join(', ')})`
}
