import type { SendingSettings } from './settings.ts'

/**
 * How many emails a mailbox may send on its n-th sending date (1 for the first): the start value and an increment
 * for each earlier date with sends, up to the quota. Dates without sends do not count: a holiday warms nothing up.
 */
export function calculateRampUpQuota(
  settings: Pick<SendingSettings, 'dailyQuota' | 'rampUpEnabled' | 'rampUpStart' | 'rampUpIncrement'>,
  dayNumber: number,
): number {
  if (!settings.rampUpEnabled) return settings.dailyQuota
  return Math.min(settings.dailyQuota, settings.rampUpStart + settings.rampUpIncrement * (Math.max(1, dayNumber) - 1))
}
