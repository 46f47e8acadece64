import type pg from 'pg'
import { examine } from '#lib/worker/doctor/examine.ts'
import { INVARIANTS } from '#lib/worker/doctor/invariants.ts'

/** Answers how many kinds of fault there are. */
export async function tellFindings(pool: pg.Pool, say: (line: string) => void): Promise<number> {
  const findings = await examine(pool)
  for (const { name, sentence, count, ids } of findings) {
    say(`✗ ${name}: ${count} ${sentence}`)
    say(`  ${ids.join('\n  ')}${count > ids.length ? `\n  and ${count - ids.length} more` : ''}`)
  }
  say(
    findings.length === 0
      ? `All is well: ${INVARIANTS.length} invariants hold.`
      : `${findings.length} of ${INVARIANTS.length} invariants do not hold. Nothing was changed.`,
  )
  return findings.length
}
