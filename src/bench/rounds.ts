import type { Contestant } from './contestant.ts'

export const ROUNDS = 3

/** Emails per second, the median of all rounds; 0 for who could not take part. */
export type MedianOf = (contestant: Contestant) => number

/** Round by round, everybody once in each, so that a slow minute of the machine hits all alike. */
export async function compare(contestants: readonly Contestant[], emails: number, what = 'emails'): Promise<MedianOf> {
  const rates = new Map<Contestant, number[]>()
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const contestant of contestants) {
      const rate = await measure(contestant, emails)
      if (rate !== undefined) rates.set(contestant, [...(rates.get(contestant) ?? []), rate])
    }
  }
  const median: MedianOf = (contestant) => quantile(rates.get(contestant) ?? [], 0.5)
  print(`\n${emails} ${what}, median of ${ROUNDS} rounds, ${what} per second:`)
  for (const contestant of rates.keys())
    print(`  ${contestant.name.padEnd(60)} ${Math.round(median(contestant)).toLocaleString('en').padStart(8)}`)
  return median
}

async function measure(contestant: Contestant, emails: number): Promise<number | undefined> {
  const opened = await contestant.open(emails)
  if (!opened) return undefined
  const started = performance.now()
  await opened.run()
  const seconds = (performance.now() - started) / 1000
  await opened.close()
  return emails / seconds
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export function verdict(what: string, ratio: number, bar: number): void {
  print(
    `  ${what}: ${ratio.toFixed(2)} (at least ${bar}): ${ratio >= bar ? 'pass' : `short by ${Math.round((1 - ratio / bar) * 100)} %`}`,
  )
}

export function verdictAtMost(what: string, ratio: number, bar: number): void {
  print(
    `  ${what}: ${ratio.toFixed(2)} (at most ${bar}): ${ratio <= bar ? 'pass' : `over by ${Math.round((ratio / bar - 1) * 100)} %`}`,
  )
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
