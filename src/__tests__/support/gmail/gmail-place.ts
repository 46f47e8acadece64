import type pg from 'pg'
import { makeSending, type SendingPlace } from '#tests/support/faults/sending-place.ts'
import { countStates, until } from '#tests/support/faults/waiting.ts'
import type { TestDatabase } from '#tests/support/server/database.ts'
import type { TestGoogle } from './fake-google.ts'
import { connectToGoogle } from './grant.ts'

export type GmailPlace = SendingPlace & { addresses: string[] }

/** A running campaign, all of it due now, whose mailboxes are Gmail's. */
export async function makeGmailSending(
  pool: pg.Pool,
  fake: TestGoogle,
  wanted: Parameters<typeof makeSending>[2] & { scopes?: readonly string[] },
): Promise<GmailPlace> {
  const { scopes, ...place } = wanted
  const made = await makeSending(pool, 1, place)
  return { ...made, addresses: await connectToGoogle(pool, fake.google, made.mailboxIds, scopes ? { scopes } : {}) }
}

/** Until it is released, nothing can be marked: what was prepared stays so. */
export async function holdMarks(pool: pg.Pool, { workspaceId }: SendingPlace): Promise<() => Promise<void>> {
  const client = await pool.connect()
  await client.query('BEGIN')
  await client.query('SELECT FROM sending_settings WHERE workspace_id = $1 FOR UPDATE', [workspaceId])
  return async () => {
    await client.query('ROLLBACK')
    client.release()
  }
}

/** Drafts of emails that are held and not marked. */
export async function countKeptDrafts(pool: pg.Pool, { campaignId }: SendingPlace): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM provider_drafts d JOIN scheduled_emails e ON e.id = d.email_id AND e.lease_token = d.lease_token
     WHERE e.campaign_id = $1 AND e.status = 'SENDING' AND e.marked_token IS DISTINCT FROM e.lease_token`,
    [campaignId],
  )
  return rows[0]?.count ?? 0
}

/**
 * Until nothing waits, nothing is held, and whatever Gmail could be asked about has been: time is travelled over where
 * everything waits for it.
 */
export async function untilAllIsKnown(
  db: TestDatabase,
  campaignIds: readonly string[],
  msMax = 600_000,
): Promise<void> {
  let states: Record<string, number> = {}
  await until(
    () => `everything is known (${JSON.stringify(states)})`,
    async () => {
      states = await countStates(db.pool, ...campaignIds)
      const { SCHEDULED = 0, RETRY_SCHEDULED = 0, SENDING = 0, MARKED = 0, OUTCOME_UNKNOWN = 0 } = states
      if (SENDING + MARKED > 0) return false
      if (SCHEDULED + RETRY_SCHEDULED + OUTCOME_UNKNOWN === 0) return true
      const moves = await db.pool.query<{ due: boolean }>(
        `SELECT EXISTS (SELECT FROM scheduled_emails WHERE campaign_id = ANY($1::uuid[]) AND ready_at <= app_now())
           OR EXISTS (SELECT FROM provider_drafts d JOIN scheduled_emails e ON e.id = d.email_id
             WHERE e.campaign_id = ANY($1::uuid[]) AND e.status = 'OUTCOME_UNKNOWN' AND d.look_at <= app_now()) AS due`,
        [campaignIds],
      )
      if (moves.rows[0]?.due) await new Promise((done) => setTimeout(done, 300))
      const left = await db.pool.query(
        `SELECT FROM provider_drafts d JOIN scheduled_emails e ON e.id = d.email_id
         WHERE e.campaign_id = ANY($1::uuid[]) AND e.status = 'OUTCOME_UNKNOWN' AND d.look_at IS NOT NULL LIMIT 1`,
        [campaignIds],
      )
      if (SCHEDULED + RETRY_SCHEDULED === 0 && left.rowCount === 0) return true
      await db.travel('2 minutes')
      return false
    },
    msMax,
  )
  // Two more, so that drafts which nobody sends are cleared away.
  for (let more = 0; more < 2; more += 1) {
    await db.travel('5 minutes')
    await new Promise((done) => setTimeout(done, 1_500))
  }
}
