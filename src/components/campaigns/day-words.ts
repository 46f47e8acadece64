import { wordsOfInstant } from '#lib/platform/time/zoned-words.ts'

const FORMAT = { short: 'EEE d MMM', long: 'EEE d MMM yyyy' }

/** A local date, as the plan names it: no zone may move it. */
export function dayWords(date: string, length: keyof typeof FORMAT = 'short'): string {
  return wordsOfInstant(new Date(`${date}T00:00:00Z`), 'UTC', FORMAT[length])
}
