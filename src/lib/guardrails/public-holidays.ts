import { dayOf, localDateOf } from '#lib/platform/time/local-date.ts'

export type HolidayPlace = { code: string; name: string; regions: { code: string; name: string }[] }
export type PublicHoliday = { date: string; name: string }

const DAY_MS = 86_400_000

/** Half a second and a few megabytes, for the few who ask. */
const library = async () => (await import('date-holidays')).default

/** The countries of which public holidays are known, with their regions where those have holidays of their own. */
export async function holidayPlaces(): Promise<HolidayPlace[]> {
  const Holidays = await library()
  const all = new Holidays()
  return Object.entries(all.getCountries('en'))
    .map(([code, name]) => ({
      code,
      name,
      regions: named(all.getStates(code, 'en')),
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
}

/** Each date once, one name for it. Undefined where the place is not known. */
export async function publicHolidays(
  country: string,
  region: string | undefined,
  year: number,
): Promise<PublicHoliday[] | undefined> {
  const Holidays = await library()
  const all = new Holidays()
  if (!Object.hasOwn(all.getCountries('en'), country)) return undefined
  if (region !== undefined && !Object.hasOwn(all.getStates(country, 'en') ?? {}, region)) return undefined
  const there = region === undefined ? new Holidays(country) : new Holidays(country, region)
  const byDate = new Map<string, string>()
  for (const { type, date, start, end, name } of there.getHolidays(year, 'en')) {
    if (type !== 'public') continue
    const days = Math.max(1, Math.round((end.getTime() - start.getTime()) / DAY_MS))
    const first = dayOf(date.slice(0, 10))
    for (let day = first; day < first + days; day++) {
      const local = localDateOf(day)
      if (!byDate.has(local)) byDate.set(local, name)
    }
  }
  return [...byDate].map(([date, name]) => ({ date, name })).toSorted((one, other) => (one.date < other.date ? -1 : 1))
}

function named(names: Record<string, string> | undefined): { code: string; name: string }[] {
  return Object.entries(names ?? {})
    .map(([code, name]) => ({ code, name }))
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
}
