import { PublicError } from '#lib/platform/api-response.ts'

/** The versions under which a caller has seen what they change, from If-Match; undefined where they do not say. */
export type Expected = readonly string[] | undefined

export type RowVersion = number | string

export const etagOf = (version: RowVersion) => `"${version}"`

/**
 * What If-Match holds. A `W/` in front is what a proxy makes of our tags when it compresses an answer, and is passed
 * over: the version behind it is the row's own. `*` asks only that the thing is there, which a 404 answers anyway.
 */
export function readIfMatch(header: string | null): Expected {
  if (header === null || header.trim() === '*') return undefined
  const tags = header.split(',').map((tag) => /^(?:W\/)?"([\w.-]{1,40})"$/.exec(tag.trim())?.[1])
  if (tags.includes(undefined))
    throw new PublicError(
      400,
      'malformed-if-match',
      'If-Match holds the ETag of an earlier answer, in its quotation marks.',
    )
  return tags.filter((tag) => tag !== undefined)
}

/** Asked with the row locked, so that of two who have seen the same version one keeps their change. */
export function refuseStale(expected: Expected, version: RowVersion): void {
  if (expected === undefined || expected.includes(String(version))) return
  throw new PublicError(
    412,
    'changed-since',
    'It has been changed since you looked at it, so nothing of yours was kept. Look at it again, and change it from there.',
    { version },
  )
}
