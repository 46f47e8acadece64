import { expect, test } from 'vitest'
import { holidayPlaces, publicHolidays } from '#lib/guardrails/public-holidays.ts'

test('a country’s public holidays are those of its law, each date once', async () => {
  const dates = (await publicHolidays('DE', undefined, 2026))?.map(({ date }) => date) ?? []
  expect(dates).toEqual(expect.arrayContaining(['2026-01-01', '2026-04-03', '2026-04-06', '2026-10-03', '2026-12-25']))
  // Observed by many, and a working day by law.
  expect(dates).not.toContain('2026-12-24')
  expect(new Set(dates).size).toBe(dates.length)
})

test('a region adds its own, and a holiday of several days takes each of them', async () => {
  const of = async (region?: string) => (await publicHolidays('DE', region, 2026))?.map(({ date }) => date) ?? []
  expect(await of('BY')).toContain('2026-01-06')
  expect(await of()).not.toContain('2026-01-06')
  const feast = (await publicHolidays('SA', undefined, 2026))?.filter(({ name }) => name.includes('Adha')) ?? []
  expect(feast.length).toBeGreaterThan(1)
})

test('a place that is not known has none, whatever it is called', async () => {
  for (const [country, region] of [['XX'], ['DE', 'XX'], ['constructor'], ['DE', '__proto__']] as [string, string?][])
    expect(await publicHolidays(country, region, 2026)).toBeUndefined()
})

test('countries stand by their names, with the regions that differ', async () => {
  const places = await holidayPlaces()
  expect(places.length).toBeGreaterThan(100)
  expect(places.find(({ code }) => code === 'DE')?.regions.map(({ code }) => code)).toContain('BY')
})
