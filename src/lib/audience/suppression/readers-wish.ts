import type { SuppressionSource } from '#lib/platform/generated/enums.ts'

/** What a reader asked for, nobody here takes back: only they can, by the link in an email. */
export function isReadersWish(source: SuppressionSource): boolean {
  return source === 'UNSUBSCRIBE' || source === 'COMPLAINT'
}
