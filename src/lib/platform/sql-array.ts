/**
 * An array parameter from values that need no quoting (ids, numbers, dates, keys made of ids). pg would quote and
 * escape each of them, which is most of the time of a large insert.
 */
export function plainArray(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`
}
