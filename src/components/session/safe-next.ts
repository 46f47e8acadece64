export const HOME = '/overview'

const HERE = 'http://here.invalid'

/** Where to go after signing in: only to a page of ours, whatever the link says. */
export function safeNext(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/')) return HOME
  const url = URL.parse(next, HERE)
  if (url?.origin !== HERE) return HOME
  // "/.//elsewhere" is ours before it is tidied, and another host's after.
  if (url.pathname.startsWith('//') || url.pathname.startsWith('/api/')) return HOME
  return url.pathname + url.search + url.hash
}

export function signInHref(next: string, notice?: SignInNotice): string {
  const params = new URLSearchParams()
  if (next !== HOME && next !== '/') params.set('next', next)
  if (notice) params.set('notice', notice)
  const query = params.toString()
  return query === '' ? '/sign-in' : `/sign-in?${query}`
}

export type SignInNotice = 'session-ended' | 'signed-out' | 'password-changed'
