/**
 * An array parameter from values that need no quoting (ids, numbers, dates, keys made of ids). pg would quote and
 * escape each of them, which is most of the time of a large insert.
 */
export function plainArray(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`
}

/**
 * Among the ids of an array parameter, in a statement that is `prepared`. Where Postgres sees how many there are, a plan for
 * these few looks cheaper than the one that it could keep, and it plans anew each time, which takes longer than carrying it
 * out. Into a subquery it does not look.
 */
export function amongIds(parameter: string): string {
  return `ANY((SELECT ${parameter})::uuid[])`
}

/** Rows from array parameters, `$1` on, of these types; in a prepared statement, so that for their number it is not planned anew either. */
export function unnested(...types: readonly string[]): string {
  return `unnest(${types.map((type, index) => `(SELECT $${index + 1}::${type}[])`).join(', ')})`
}
