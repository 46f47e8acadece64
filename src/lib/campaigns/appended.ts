import { peopleCells } from '#lib/audience/people-counts.ts'
import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import type { Campaign } from './campaign.ts'
import { FOLLOW_ONE_ANOTHER } from './journeys/open.ts'
import { PLANNED_STATES } from './ledger.ts'
import { lockProspectsShared } from './unplanned.ts'

/** A planned enrolment that has fewer emails than its sequence has steps by now. */
export type BehindEnrolment = {
  id: string
  prospectId: string
  mailboxId: string
  plannedSteps: number
  /** The prospect has left: archived, merged, replied, bounced, unsubscribed or erased. */
  hasLeft: boolean
}

/** By which a running campaign has people with emails to plan although they have begun. */
export type Behind = { id: string; workspaceId: string; by: 'appended' | 'branches' }

/** Running campaigns whose sequence has got steps that a planned person has no email for, or with a person who has come to emails by a branch. */
export async function campaignsBehind(sql: Sql): Promise<Behind[]> {
  const { rows } = await sql.query<Behind>(
    `SELECT c.id, c.workspace_id AS "workspaceId", 'appended' AS by FROM campaigns c WHERE c.status = 'RUNNING' AND ${FOLLOW_ONE_ANOTHER('c')}
       AND c.steps_planned < (SELECT max(step_number) FROM sequence_steps s WHERE s.sequence_id = c.sequence_id)
     UNION ALL
     SELECT c.id, c.workspace_id, 'branches' FROM campaigns c WHERE c.status = 'RUNNING'
       AND EXISTS (SELECT FROM journeys j WHERE j.campaign_id = c.id AND j.state = 'PLAN')
     ORDER BY 1`,
  )
  return rows
}

export async function takeBehind(
  tx: Sql,
  campaign: Pick<Campaign, 'id' | 'batchSize'>,
  { steps, mailboxIds, afterId }: { steps: number; mailboxIds: readonly string[]; afterId: string | null },
): Promise<BehindEnrolment[]> {
  const { rows: next } = await tx.query<{ id: string; prospect_id: string }>(
    `SELECT id, prospect_id FROM campaign_prospects cp
     WHERE campaign_id = $1 AND state IN ('ACTIVE', 'FINISHED') AND planned_steps < $2 AND mailbox_id = ANY($3::uuid[])
       AND ($4::uuid IS NULL OR id > $4)
     ORDER BY id LIMIT $5`,
    [campaign.id, steps, mailboxIds, afterId, campaign.batchSize],
  )
  await lockProspectsShared(tx, plainArray(next.map((row) => row.prospect_id)))
  const { rows } = await tx.query<BehindEnrolment>(
    `SELECT cp.id, cp.prospect_id AS "prospectId", cp.mailbox_id AS "mailboxId", cp.planned_steps AS "plannedSteps",
       num_nonnulls(p.erased_at, p.archived_at, p.unsubscribed_at, p.bounced_at, p.replied_at) > 0 AS "hasLeft"
     FROM campaign_prospects cp JOIN prospects p ON p.id = cp.prospect_id
     WHERE cp.id = ANY($1::uuid[]) AND cp.state IN ('ACTIVE', 'FINISHED') AND cp.planned_steps < $2
     ORDER BY cp.id FOR NO KEY UPDATE OF cp`,
    [plainArray(next.map(({ id }) => id)), steps],
  )
  return rows
}

/** In the transaction that inserts the emails of the appended steps. */
export async function markAppended(tx: Sql, ids: readonly string[], steps: number): Promise<void> {
  await tx.query(`UPDATE campaign_prospects SET planned_steps = $2, state = 'ACTIVE' WHERE id = ANY($1::uuid[])`, [
    plainArray(ids),
    steps,
  ])
}

/** Under the plan's lock, so that no batch with fewer steps is under way. Not while a person is still behind. */
export async function markStepsPlanned(tx: Sql, campaignId: string, steps: number): Promise<void> {
  await tx.query(
    `UPDATE campaigns SET steps_planned = $2 WHERE id = $1 AND NOT EXISTS (
       SELECT FROM campaign_prospects WHERE campaign_id = $1 AND state IN ('ACTIVE', 'FINISHED') AND planned_steps < $2)`,
    [campaignId, steps],
  )
}

/** The campaigns that a change of their sequence touches: held, so that none is stopped until the end. */
export async function lockCampaignsSharedOn(
  tx: Sql,
  sequenceId: string,
  { hasNewSteps }: { hasNewSteps: boolean },
): Promise<Pick<Campaign, 'id' | 'sequenceId'>[]> {
  if (hasNewSteps)
    await tx.query(
      `UPDATE campaigns SET status = 'RUNNING', updated_at = app_now() WHERE id IN (
         SELECT id FROM campaigns WHERE sequence_id = $1 AND status = 'SENT' AND archived_at IS NULL ORDER BY id FOR NO KEY UPDATE)`,
      [sequenceId],
    )
  const { rows } = await tx.query<Pick<Campaign, 'id' | 'sequenceId'>>(
    `SELECT id, sequence_id AS "sequenceId" FROM campaigns
     WHERE sequence_id = $1 AND status <> 'STOPPED' AND archived_at IS NULL ORDER BY id FOR SHARE`,
    [sequenceId],
  )
  return rows
}

export async function countPlannedIn(sql: Sql, campaignIds: readonly string[]): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `SELECT coalesce(sum(people), 0)::int AS count FROM (${peopleCells('= ANY($1::uuid[])')}) kept WHERE state = ANY($2)`,
    [campaignIds, PLANNED_STATES],
  )
  return rows[0]?.count ?? 0
}
