import type pg from 'pg'
import { notFound, PublicError } from '#lib/platform/api-response.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { missingFieldsSql, missingSentenceSql } from '#lib/sequences/merge-fields.ts'
import { readFieldsNeeded } from '#lib/sequences/steps.ts'
import { type Campaign, findCampaign, holdCampaign } from './campaign.ts'
import { reopen } from './move.ts'

/** `already` are enrolled in this campaign; `unknown` are no prospects of the workspace. */
export type Enrolled = { enrolled: number; blocked: number; already: number; unknown: number }

const PROSPECTS_PER_PAGE = 5_000

/**
 * Enrols prospects in a campaign that is not stopped. Twice is once; one that has been sent runs again. A stop waits
 * until this has committed and then finds the enrolments, or has come first and is seen here.
 */
export async function enrolProspects(
  tx: Sql,
  workspaceId: string,
  campaignId: string,
  prospectIds: readonly string[],
): Promise<Enrolled> {
  const campaign = await holdOpen(tx, workspaceId, campaignId)
  const ids = [...new Set(prospectIds)]
  const fields = await readFieldsNeeded(tx, campaign.sequenceId)
  const { rows } = await tx.query<{ known: number; enrolled: number; blocked: number }>(
    `WITH wanted AS (
       SELECT e.id, p.id AS prospect_id, ${missingFieldsSql('p', '$5::text[]')} AS missing
       FROM unnest($3::uuid[], $4::uuid[]) AS e(id, prospect_id) JOIN prospects p ON p.id = e.prospect_id
       WHERE p.workspace_id = $1 AND p.erased_at IS NULL
     ), enrolled AS (
       INSERT INTO campaign_prospects (id, workspace_id, campaign_id, prospect_id, state, reason, created_at)
       SELECT id, $1, $2, prospect_id, CASE WHEN missing = '{}' THEN 'PENDING' ELSE 'BLOCKED' END::enrolment_state,
         CASE WHEN missing <> '{}' THEN ${missingSentenceSql('missing')} END, app_now() FROM wanted ORDER BY id
       ON CONFLICT (campaign_id, prospect_id) DO NOTHING
       RETURNING state)
     SELECT (SELECT count(*)::int FROM wanted) AS known, count(*)::int AS enrolled,
       count(*) FILTER (WHERE state = 'BLOCKED')::int AS blocked FROM enrolled`,
    [workspaceId, campaign.id, ids.map(newId), ids, fields],
  )
  const { known, enrolled, blocked } = rows[0] ?? { known: 0, enrolled: 0, blocked: 0 }
  return { enrolled, blocked, already: known - enrolled, unknown: ids.length - known }
}

async function holdOpen(tx: Sql, workspaceId: string, id: string): Promise<Campaign> {
  const found = await findCampaign(tx, workspaceId, id)
  if (found.archivedAt) throw notFound()
  await reopen(tx, workspaceId, id)
  const campaign = (await holdCampaign(tx, workspaceId, id)) ?? found
  if (campaign.status === 'STOPPED')
    throw new PublicError(
      409,
      'campaign-stopped',
      'The campaign was stopped, and that is final; nobody joins it any more.',
    )
  return campaign
}

/** The next of the workspace's prospects that may get campaign email, for enrolling all of them page by page. */
async function activeProspects(
  sql: Sql,
  workspaceId: string,
  afterId: string | null,
  limit = PROSPECTS_PER_PAGE,
): Promise<{ ids: string[]; nextId: string | null }> {
  const { rows } = await sql.query<{ id: string }>(
    `SELECT id FROM prospects WHERE workspace_id = $1 AND ($2::uuid IS NULL OR id > $2) AND archived_at IS NULL
       AND erased_at IS NULL AND unsubscribed_at IS NULL AND bounced_at IS NULL AND replied_at IS NULL
     ORDER BY id LIMIT $3`,
    [workspaceId, afterId, limit],
  )
  const ids = rows.map(({ id }) => id)
  return { ids, nextId: ids.length === limit ? (ids.at(-1) ?? null) : null }
}

/** Enrols everybody who may get campaign email, a page for each transaction, until done or out of time. */
export async function enrolAll(
  pool: pg.Pool,
  workspaceId: string,
  campaignId: string,
  cursor: string | null,
  mayContinue: () => boolean,
): Promise<Enrolled & { nextCursor: string | null }> {
  await findCampaign(pool, workspaceId, campaignId)
  const total = { enrolled: 0, blocked: 0, already: 0, unknown: 0 }
  let nextCursor = cursor
  do {
    const { ids, nextId } = await activeProspects(pool, workspaceId, nextCursor)
    const page = await inTransaction(pool, (tx) => enrolProspects(tx, workspaceId, campaignId, ids))
    for (const name of ['enrolled', 'blocked', 'already', 'unknown'] as const) total[name] += page[name]
    nextCursor = nextId
  } while (nextCursor !== null && mayContinue())
  return { ...total, nextCursor }
}
