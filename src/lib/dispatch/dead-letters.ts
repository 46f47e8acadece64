import type { Sql } from '#lib/platform/database.ts'
import type { DeadReason } from './broker.ts'

/** In words for people: what it means that such messages lie there, and what to do. */
export const DEAD_SENTENCES: Record<DeadReason, string> = {
  unreadable:
    'were not written by this version of Sendonce: something else writes into DISPATCH_QUEUE, or an older worker still runs',
  'not-ours':
    'name emails or actions that this database does not know: another installation uses the same DISPATCH_QUEUE, or a restored database has forgotten them',
  'delivered-too-often':
    'were given to workers again and again, each of which was lost: what they name is retried, and the workers’ logs say why they ended',
}

export type DeadLetterCount = { reason: DeadReason; count: number; lastAt: Date; isRecent: boolean }

/** Counted and not kept: whatever it holds was written by who knows whom, and the email that it names says its own part. */
export async function countDeadLetter(sql: Sql, reason: DeadReason): Promise<void> {
  await sql.query(
    `INSERT INTO dead_letters (reason, count, first_at, last_at) VALUES ($1, 1, app_now(), app_now())
     ON CONFLICT (reason) DO UPDATE SET count = dead_letters.count + 1, last_at = excluded.last_at`,
    [reason],
  )
}

/** Those of the last day are the ones to look at now. */
export async function readDeadLetters(sql: Sql): Promise<DeadLetterCount[]> {
  const { rows } = await sql.query<DeadLetterCount>(
    `SELECT reason, count, last_at AS "lastAt", last_at > app_now() - interval '1 day' AS "isRecent"
     FROM dead_letters ORDER BY last_at DESC`,
  )
  return rows
}
