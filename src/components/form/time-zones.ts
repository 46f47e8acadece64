/** Every zone that this browser knows, and those that are in use already under an older name. */
export function timeZonesWith(...inUse: string[]): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), ...inUse])].sort()
}

/** "GMT+1", as the clock there stands now. */
export function offsetNow(timeZone: string, now: Date): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }).formatToParts(now)
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? ''
}

export function browserTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
}
