/** Every zone that this browser knows, and those that are in use already under an older name. */
export function timeZonesWith(...inUse: string[]): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), ...inUse])].sort()
}

/** "GMT+1", as the clock there stands now. */
export function offsetNow(timeZone: string, now: Date): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }).formatToParts(now)
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? ''
}

let here: string | undefined

/** Asked for once: every date that is shown wants to know. */
export function browserTimeZone(): string {
  here ??= Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
  return here
}
