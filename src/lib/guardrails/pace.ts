import type { SendingSettings } from './settings.ts'

/** By the pause in the middle of the range; null where emails follow one another at once. */
export function emailsPerHour({
  jitterMinSeconds,
  jitterMaxSeconds,
}: Pick<SendingSettings, 'jitterMinSeconds' | 'jitterMaxSeconds'>): number | null {
  const seconds = (jitterMinSeconds + jitterMaxSeconds) / 2
  return seconds === 0 ? null : Math.round(3600 / seconds)
}
