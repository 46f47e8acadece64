/** What a key may do. `read` looks, `send` does what members do, `admin` does what admins do and all of the others. */
export const API_SCOPES = ['read', 'send', 'admin'] as const

export type ApiScope = (typeof API_SCOPES)[number]

/** One of what is asked for is enough. */
export function mayWith(scopes: readonly ApiScope[], asked: readonly ApiScope[]): boolean {
  return scopes.includes('admin') || asked.some((scope) => scopes.includes(scope))
}
