import { z } from 'zod'

/** What a scenario counted: the checker's findings, which all of them have, and counts of its own. */
const figuresSchema = z
  .object({
    scenario: z.string(),
    emails: z.number(),
    accepted: z.number(),
    doubles: z.number(),
    sent: z.number(),
    unknown: z.number(),
    failed: z.number(),
    cancelled: z.number(),
    waiting: z.number(),
    wrong: z.array(z.string()),
  })
  .catchall(z.unknown())

type Figures = z.infer<typeof figuresSchema>

export function readFigures(lines: string): Figures[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => figuresSchema.parse(JSON.parse(line)))
}

const SUMMED = ['emails', 'accepted', 'doubles', 'sent', 'unknown', 'failed', 'cancelled', 'waiting'] as const

export function sumFigures(scenarios: readonly Figures[]): Record<string, unknown> {
  const sums = SUMMED.map((name) => [name, scenarios.reduce((sum, figures) => sum + figures[name], 0)])
  const kills = scenarios.find((figures) => 'kills' in figures)?.kills
  return {
    ...(kills !== undefined && { kills }),
    ...Object.fromEntries(sums),
    wrong: scenarios.flatMap(({ wrong }) => wrong),
  }
}

export function describeFigures({ scenario: _, ...figures }: Record<string, unknown>): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${inWords(name, value)}`)
    .join(', ')
}

function inWords(name: string, value: unknown): string {
  // Of what must not be, the number: each sentence stands in the test that failed.
  if (Array.isArray(value)) return name === 'wrong' ? String(value.length) : value.join(' ')
  if (typeof value !== 'object' || value === null) return String(value)
  const counts = Object.entries(value)
  const total = counts.reduce((sum, [, count]) => sum + Number(count), 0)
  return `${total} (${counts.map(([key, count]) => `${key} ${count}`).join(', ')})`
}
