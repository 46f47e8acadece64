/** Kept in a cookie, so that the server draws the columns that a person has chosen. */
export const COLUMNS_COOKIE = 'people-columns'

const CHOSEN_AT_FIRST: readonly string[] = ['name', 'state', 'company', 'added']
const COLUMNS_MAX = 20

export function readChosenColumns(cookie: string | undefined): readonly string[] {
  const keys = cookie?.split('.').filter((key) => /^[a-zA-Z][a-zA-Z0-9_]{0,49}$/.test(key))
  return keys && keys.length > 0 ? keys.slice(0, COLUMNS_MAX) : CHOSEN_AT_FIRST
}

export function keepChosenColumns(keys: readonly string[]): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing without TLS, where this product also runs
  document.cookie = `${COLUMNS_COOKIE}=${keys.join('.')}; path=/; max-age=31536000; samesite=lax`
}
