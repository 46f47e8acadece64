import type { SuppressionSource } from '#lib/platform/generated/enums.ts'

export const KINDS = [
  { value: 'ADDRESS', label: 'Addresses' },
  { value: 'DOMAIN', label: 'Domains' },
] as const

export function isKind(kind: string | null): kind is (typeof KINDS)[number]['value'] {
  return KINDS.some(({ value }) => value === kind)
}

/** Where one came from. */
export const SOURCE_WORD: Record<SuppressionSource, string> = {
  PERSON: 'Added',
  UNSUBSCRIBE: 'The reader unsubscribed',
  BOUNCE: 'The address bounced',
  COMPLAINT: 'The reader complained',
}
