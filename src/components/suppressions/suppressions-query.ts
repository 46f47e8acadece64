import { isKind } from './suppression-words.ts'

const PAGE_SIZE = 50
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The page of the list that the address asks for; what makes no sense there is left out. */
export function suppressionsQueryIn(params: { get(name: string): string | null }) {
  const [kind, cursor] = [params.get('kind'), params.get('cursor')]
  return {
    search: params.get('q')?.trim().slice(0, 200) || undefined,
    kind: isKind(kind) ? kind : undefined,
    cursor: cursor && UUID.test(cursor) ? cursor : undefined,
    limit: PAGE_SIZE,
  }
}
