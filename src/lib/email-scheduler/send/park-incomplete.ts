import type { GuardName } from '#lib/guardrails/guards.ts'
import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import type { ClaimedEmail } from './claim.ts'
import type { WrittenFrom } from './final-check.ts'
import { type ReleaseAnswer, release } from './release.ts'

export type Incomplete = {
  email: ClaimedEmail
  missing: readonly string[]
  writtenFrom: WrittenFrom
}

const BLOCKER = 'merge-fields-complete' satisfies GuardName

/**
 * Emails that lack a field wait until it is filled in. Sequences and prospects are held while it is looked whether
 * that has happened since they were written: then they go back as they were, for the cure has been and will not come
 * again. Compared with the very rows that were read, and not with the time of the claim: a cure may begin before a claim
 * and commit after it.
 */
export async function parkIncomplete(tx: Sql, incomplete: readonly Incomplete[]): Promise<ReleaseAnswer[]> {
  if (incomplete.length === 0) return []
  await hold(tx, 'sequences', incomplete, ({ sequenceId }) => sequenceId)
  await hold(tx, 'campaigns', incomplete, ({ campaignId }) => campaignId)
  await hold(tx, 'prospects', incomplete, ({ prospectId }) => prospectId)
  const { rows } = await tx.query<{ id: string }>(
    `SELECT e.id FROM scheduled_emails e JOIN prospects p ON p.id = e.prospect_id
     JOIN sequences s ON s.id = e.sequence_id
     JOIN unnest($1::uuid[], $2::text[], $3::text[]) AS seen(id, prospect, sequence) ON seen.id = e.id
     WHERE p.xmin::text <> seen.prospect OR s.xmin::text <> seen.sequence`,
    [
      plainArray(incomplete.map(({ email }) => email.id)),
      incomplete.map(({ writtenFrom }) => writtenFrom.prospect),
      incomplete.map(({ writtenFrom }) => writtenFrom.sequence),
    ],
  )
  const changed = new Set(rows.map(({ id }) => id))
  return release(
    tx,
    incomplete.map(({ email, missing }) => ({
      ...email,
      code: BLOCKER,
      to: changed.has(email.id) ? { kind: 'as-it-was' } : { kind: 'parked', blocker: BLOCKER },
      receipt: { missing },
    })),
  )
}

async function hold(
  tx: Sql,
  table: 'sequences' | 'campaigns' | 'prospects',
  incomplete: readonly Incomplete[],
  idOf: (email: ClaimedEmail) => string | null,
): Promise<void> {
  await tx.query(`SELECT FROM ${table} WHERE id = ANY($1::uuid[]) ORDER BY id FOR SHARE`, [
    [...new Set(incomplete.map(({ email }) => idOf(email)))],
  ])
}
