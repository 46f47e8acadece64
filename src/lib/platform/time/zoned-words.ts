const NAMED: Record<string, Intl.DateTimeFormatOptions> = {
  EEEE: { weekday: 'long' },
  EEE: { weekday: 'short' },
  MMMM: { month: 'long' },
  MMM: { month: 'short' },
  MM: { month: '2-digit' },
  yyyy: { year: 'numeric' },
  dd: { day: '2-digit' },
  d: { day: 'numeric' },
  HH: { hour: '2-digit' },
  mm: { minute: '2-digit' },
  ss: { second: '2-digit' },
  OOO: { timeZoneName: 'shortOffset' },
}

type PartType = 'weekday' | 'month' | 'year' | 'day' | 'hour' | 'minute' | 'second' | 'timeZoneName'
const PART = /E{3,4}|M{2,4}|yyyy|dd?|HH|mm|ss|OOO/g

/** A formatter takes far longer to make than to use, and a table shows hundreds of instants. */
const formatters = new Map<string, Intl.DateTimeFormat>()

/**
 * An instant on the clock of an IANA zone, in English, by a pattern as date-fns has them, each part once. Browser and Node
 * know zones and names by themselves: a library that brings them along was 8.7 kB of every page's script, and a fifth of the
 * files that a worker loads.
 */
export function wordsOfInstant(instant: Date, timeZone: string, pattern: string): string {
  const key = `${timeZone} ${pattern}`
  let formatter = formatters.get(key)
  if (!formatter) {
    const options = Object.assign({}, ...Array.from(pattern.matchAll(PART), ([name]) => NAMED[name]))
    formatter = new Intl.DateTimeFormat('en-US', { ...options, timeZone, hourCycle: 'h23' })
    formatters.set(key, formatter)
  }
  const found = new Map(formatter.formatToParts(instant).map(({ type, value }) => [type, value]))
  return pattern.replaceAll(PART, (name) => wordIn(found, Object.keys(NAMED[name] ?? {})[0] as PartType))
}

function wordIn(found: ReadonlyMap<string, string>, type: PartType): string {
  const value = found.get(type) ?? ''
  if (type === 'timeZoneName') return value === 'GMT' ? 'GMT+0' : value
  // Alone, minutes and seconds are not padded.
  return ['hour', 'minute', 'second'].includes(type) ? value.padStart(2, '0') : value
}

const LOCAL = 'yyyy-MM-ddTHH:mm'

/** As a field of date and time takes it. */
export function localOfInstant(instant: Date, timeZone: string): string {
  return wordsOfInstant(instant, timeZone, LOCAL)
}

/** The local date there, now or at another instant. */
export function todayIn(timeZone: string, at = new Date()): string {
  return wordsOfInstant(at, timeZone, 'yyyy-MM-dd')
}

const DAY_MS = 86_400_000

/**
 * What a field of date and time says, on the clock of a zone: of a time that comes twice the first, and one that the
 * clock leaves out is as much later as the clock jumps.
 */
export function instantOfLocal(local: string, timeZone: string): Date {
  const asUtc = Date.parse(`${local.slice(0, 16)}:00Z`)
  const offsetAt = (ms: number) => Date.parse(`${localOfInstant(new Date(ms), timeZone)}:00Z`) - ms
  const [before, after] = [offsetAt(asUtc - DAY_MS), offsetAt(asUtc + DAY_MS)]
  const candidates = [asUtc - before, asUtc - after].sort((one, other) => one - other)
  const meant = candidates.find((ms) => ms + offsetAt(ms) === asUtc)
  return new Date(meant ?? asUtc - before)
}
