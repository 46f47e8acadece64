import type { GuardName } from '#lib/guardrails/guards.ts'
import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import type { ClaimedEmail } from './claim.ts'
import { type ReleaseAnswer, release } from './release.ts'

export type Incomplete = {
  email: ClaimedEmail
  missing: readonly string[]
  /** Of the rows that it was written from. */
  prospectUpdatedAt: Date
  stepUpdatedAt: Date
}

const BLOCKER = 'merge-fields-complete' satisfies GuardName

/**
 * Emails that lack a field wait until somebody fills it in. Sequences and prospects are held while it is looked whether
 * somebody has done so since they were written: then they go back as they were, for the cure has been and will not come
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
     JOIN sequence_steps s ON s.sequence_id = e.sequence_id AND s.step_number = e.step_number
     JOIN unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS seen(id, prospect_at, step_at) ON seen.id = e.id
     WHERE p.updated_at <> seen.prospect_at OR s.updated_at <> seen.step_at`,
    [
      plainArray(incomplete.map(({ email }) => email.id)),
      incomplete.map(({ prospectUpdatedAt }) => prospectUpdatedAt),
      incomplete.map(({ stepUpdatedAt }) => stepUpdatedAt),
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
