export type ParamChanges = Record<string, string | null>

/**
 * The address of the same page with some parameters changed; null or an empty text removes one. The cursor goes with
 * every change that does not name it: a place in one list means nothing in another.
 */
export function hrefWithParams(pathname: string, current: { toString(): string }, changes: ParamChanges): string {
  const params = new URLSearchParams(current.toString())
  if (!('cursor' in changes)) params.delete('cursor')
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') params.delete(name)
    else params.set(name, value)
  }
  const query = params.toString()
  return query === '' ? pathname : `${pathname}?${query}`
}
