import type pg from 'pg'
import { until } from '#tests/support/faults/waiting.ts'
import { type Branching, FORK, happens, makeBranching, sendAndMove } from './branching.ts'

type ActingDatabase = { pool: pg.Pool; travel(interval: string): Promise<unknown> }

/**
 * People at a branch whose time-outs are all due. Of these, the first `buyers` did in time what was awaited, and nobody
 * has looked at it yet.
 */
export async function makeDueTimeouts(db: ActingDatabase, people: number, buyers = 0): Promise<Branching> {
  const campaign = await makeBranching(db.pool, FORK, { people })
  // On a busy machine one worker's time is over before thousands are there.
  const areThere = async () => {
    await sendAndMove(db.pool)
    return (await undecided(db.pool, campaign)()) === people
  }
  await until('everybody stands at the branch', areThere, 600_000)
  for (const prospectId of campaign.prospectIds.slice(0, buyers)) await happens(db.pool, campaign, prospectId)
  await db.travel('3 days 11 seconds')
  return campaign
}

export type Decisions = { yes: number; no: number; undecided: number; most: number }

/** How many went which way; `most` is how often one person was decided at most. */
export async function decisionsOf(pool: pg.Pool, { campaignId }: Branching): Promise<Decisions> {
  const { rows } = await pool.query<Decisions>(
    `SELECT count(*) FILTER (WHERE d.yes > 0)::int AS yes, count(*) FILTER (WHERE d.no > 0)::int AS no,
       count(*) FILTER (WHERE d.yes + d.no = 0)::int AS undecided, coalesce(max(d.yes + d.no), 0)::int AS most
     FROM (SELECT count(*) FILTER (WHERE s.what = 'yes') AS yes, count(*) FILTER (WHERE s.what = 'no') AS no
       FROM journeys j LEFT JOIN journey_steps s ON s.enrolment_id = j.enrolment_id WHERE j.campaign_id = $1 GROUP BY j.enrolment_id) d`,
    [campaignId],
  )
  if (!rows[0]) throw new Error('nothing was counted')
  return rows[0]
}

/** How many stand at the branch still. Asked again and again, so it must cost those who decide nothing. */
export const undecided =
  (pool: pg.Pool, { campaignId }: Branching) =>
  async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*)::int FROM journeys WHERE campaign_id = $1 AND state = 'BRANCH'`,
      [campaignId],
    )
    if (!rows[0]) throw new Error('nothing was counted')
    return rows[0].count
  }

/** Actions of a campaign by state. */
export async function actionStates(
  pool: pg.Pool,
  { campaignId }: Pick<Branching, 'campaignId'>,
  type = 'TIMEOUT',
): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; count: number }>(
    'SELECT status, count(*)::int FROM scheduled_actions WHERE campaign_id = $1 AND type = $2::action_type GROUP BY 1',
    [campaignId, type],
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** Asked again and again, so it must cost those who decide nothing. */
export const areDecided =
  (pool: pg.Pool, { campaignId }: Branching) =>
  async () => {
    const { rows } = await pool.query(`SELECT FROM journeys WHERE campaign_id = $1 AND state = 'BRANCH' LIMIT 1`, [
      campaignId,
    ])
    return rows.length === 0
  }
