import type pg from 'pg'
import { examine } from '#lib/operations/doctor/examine.ts'
import { INVARIANTS } from '#lib/operations/doctor/invariants.ts'
import { checkDurability } from '#lib/platform/health.ts'

/** Answers how many kinds of fault there are, a server that forgets commits among them. */
export async function tellFindings(pool: pg.Pool, say: (line: string) => void): Promise<number> {
  const findings = await examine(pool)
  for (const { name, sentence, count, ids } of findings) {
    say(`✗ ${name}: ${count} ${sentence}`)
    say(`  ${ids.join('\n  ')}${count > ids.length ? `\n  and ${count - ids.length} more` : ''}`)
  }
  const durability = await checkDurability(pool)
  say(durability.ok ? durability.sentence : `✗ durability: ${durability.sentence}`)
  const hold = `${INVARIANTS.length} invariants hold.`
  say(
    findings.length === 0
      ? durability.ok
        ? `All is well: ${hold}`
        : hold
      : `${findings.length} of ${INVARIANTS.length} invariants do not hold. Nothing was changed.`,
  )
  return findings.length + (durability.ok ? 0 : 1)
}
