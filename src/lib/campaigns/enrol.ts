import type pg from 'pg'
import { prospectIdsAfter } from '#lib/audience/list-prospects.ts'
import { memberIdsAfter, refuseUnusableList } from '#lib/audience/lists.ts'
import type { ProspectFilter } from '#lib/audience/prospect-filter.ts'
import { suppressedProspects } from '#lib/audience/suppression/suppressed.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { refuseArchived } from '#lib/platform/rows/archived.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { missingFieldsSql, missingSentenceSql } from '#lib/sequences/merge-fields.ts'
import { readFieldsNeeded } from '#lib/sequences/steps.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { type Campaign, findCampaign, lockCampaignShared } from './campaign.ts'
import { coveredBeforeMerge, coveredByStopped } from './covered.ts'
import { COVERED_REASONS, reasonSentenceSql } from './enrolment-reasons.ts'
import { reopen } from './move.ts'

/** Everybody who was asked for is counted once, but for `blocked`, who are among the enrolled. */
export type Enrolled = {
  enrolled: number
  /** Enrolled, and lacking a field that the texts need; they are planned once it is filled. */
  blocked: number
  /** Taken through the sequence by another campaign: enrolled as SKIPPED. */
  covered: number
  already: number
  suppressed: number
  unsubscribed: number
  /** Archived or merged, bounced, or replied. */
  inactive: number
  /** Not, or no longer, prospects of the workspace. */
  unknown: number
}

const NOBODY: Enrolled = {
  enrolled: 0,
  blocked: 0,
  covered: 0,
  already: 0,
  suppressed: 0,
  unsubscribed: 0,
  inactive: 0,
  unknown: 0,
}

const PROSPECTS_PER_PAGE = 5_000

/**
 * Enrols prospects in a campaign that is not stopped. Twice is once; who was skipped has a second chance; one that has
 * been sent runs again. A stop waits until this has committed and then finds the enrolments, or has come first and is
 * seen here.
 */
export async function enrolProspects(
  tx: Sql,
  workspaceId: string,
  campaignId: string,
  prospectIds: readonly string[],
  by: Actor | null = null,
): Promise<Enrolled> {
  const campaign = await lockOpenCampaign(tx, workspaceId, campaignId)
  const ids = [...new Set(prospectIds)]
  const fields = await readFieldsNeeded(tx, campaign.sequenceId)
  const suppressed = [...(await suppressedProspects(tx, workspaceId, ids)).keys()]
  const stopped = [...(await coveredByStopped(tx, campaign.sequenceId, ids))]
  const merged = [...(await coveredBeforeMerge(tx, campaign.sequenceId, ids))]
  const { rows } = await tx.query<{ name: Counted; count: number }>(
    `WITH judged AS MATERIALIZED (
       SELECT e.id, p.id AS prospect_id, ${missingFieldsSql('p', '$5::text[]')} AS missing,
         CASE WHEN p.id = ANY($8::uuid[]) THEN 'covered-before-merge' WHEN p.id = ANY($9::uuid[]) THEN 'covered-by-stopped'
           ELSE 'covered' END AS covered_by, CASE
         WHEN mine.state <> 'SKIPPED' THEN 'already'
         WHEN p.unsubscribed_at IS NOT NULL THEN 'unsubscribed'
         WHEN num_nonnulls(p.archived_at, p.bounced_at, p.replied_at) > 0 THEN 'inactive'
         WHEN p.id = ANY($6::uuid[]) THEN 'suppressed'
         WHEN NOT EXISTS (SELECT FROM campaign_prospects o JOIN campaigns c ON c.id = o.campaign_id
           WHERE o.prospect_id = p.id AND o.planned_at IS NOT NULL AND c.sequence_id = $7 AND c.id <> $2)
           AND NOT p.id = ANY($8::uuid[]) THEN 'enrolled'
         WHEN mine.id IS NULL THEN 'covered' ELSE 'already' END AS verdict
       FROM unnest($3::uuid[], $4::uuid[]) AS e(id, prospect_id) JOIN prospects p ON p.id = e.prospect_id
       LEFT JOIN campaign_prospects mine ON mine.campaign_id = $2 AND mine.prospect_id = p.id
       WHERE p.workspace_id = $1 AND p.erased_at IS NULL
     ), put AS (
       INSERT INTO campaign_prospects AS cp (id, workspace_id, campaign_id, prospect_id, state, reason_code, reason, created_at)
       SELECT id, $1, $2, prospect_id,
         CASE WHEN verdict = 'covered' THEN 'SKIPPED' WHEN missing = '{}' THEN 'PENDING' ELSE 'BLOCKED' END::enrolment_state,
         CASE WHEN verdict = 'covered' THEN covered_by WHEN missing <> '{}' THEN 'missing-fields' END,
         CASE WHEN verdict = 'covered' THEN ${reasonSentenceSql('covered_by', COVERED_REASONS)}
           WHEN missing <> '{}' THEN ${missingSentenceSql('missing')} END, app_now()
       FROM judged WHERE verdict IN ('enrolled', 'covered') ORDER BY prospect_id
       ON CONFLICT (campaign_id, prospect_id) DO UPDATE SET state = excluded.state, reason_code = excluded.reason_code, reason = excluded.reason
         WHERE cp.state = 'SKIPPED' AND cp.planned_at IS NULL AND excluded.state <> 'SKIPPED'
       RETURNING state)
     SELECT verdict AS name, count(*)::int AS count FROM judged GROUP BY verdict
     UNION ALL SELECT state::text, count(*)::int FROM put GROUP BY state`,
    [
      workspaceId,
      campaign.id,
      plainArray(ids.map(newId)),
      plainArray(ids),
      fields,
      plainArray(suppressed),
      campaign.sequenceId,
      plainArray(merged),
      plainArray(stopped),
    ],
  )
  const counts = new Map(rows.map(({ name, count }) => [name, count]))
  const of = (name: Counted) => counts.get(name) ?? 0
  const [enrolled, covered] = [of('PENDING') + of('BLOCKED'), of('SKIPPED')]
  const told = {
    enrolled,
    blocked: of('BLOCKED'),
    covered,
    // A person whom another request has enrolled since the look is there already, too.
    already: of('already') + of('enrolled') + of('covered') - enrolled - covered,
    suppressed: of('suppressed'),
    unsubscribed: of('unsubscribed'),
    inactive: of('inactive'),
  }
  if (by && enrolled + covered > 0)
    await recordAudit(tx, workspaceId, {
      action: 'campaign.people-added',
      actor: by,
      target: { kind: 'campaign', id: campaign.id, name: campaign.name },
      details: { people: enrolled, lacking: told.blocked, skipped: covered },
    })
  const { blocked: _, ...each } = told
  return { ...told, unknown: Object.values(each).reduce((left, count) => left - count, ids.length) }
}

/** A verdict, or the state of what was put in. */
type Counted = Exclude<keyof Enrolled, 'unknown' | 'blocked'> | 'PENDING' | 'BLOCKED' | 'SKIPPED'

const CAMPAIGN_ENDED = new PublicError(
  409,
  'campaign-ended',
  'The end of the campaign has passed, so nobody joins it. Set a later end, or none, first.',
)

async function lockOpenCampaign(tx: Sql, workspaceId: string, id: string): Promise<Campaign> {
  const found = await findCampaign(tx, workspaceId, id)
  refuseArchived('campaign', found)
  // One that had been sent by then was not stopped. A draft is told so at its launch.
  if (found.endsAt && found.status !== 'DRAFT' && found.endsAt <= (await appNow(tx))) throw CAMPAIGN_ENDED
  await reopen(tx, workspaceId, id)
  const campaign = (await lockCampaignShared(tx, workspaceId, id)) ?? found
  refuseArchived('campaign', campaign)
  if (campaign.status === 'STOPPED')
    throw new PublicError(
      409,
      'campaign-stopped',
      'The campaign was stopped, and that is final; nobody joins it any more.',
    )
  return campaign
}

/** Whom to enrol, other than by id: a filter as the list of prospects has it, or everybody in some lists. */
export type Whom = { filter: ProspectFilter } | { listIds: readonly string[] }

/**
 * Enrols all who match, a page for each transaction, until done or out of time; `nextCursor` then says where to go on.
 * Memory holds one page.
 */
export async function enrolMatching(
  pool: pg.Pool,
  workspaceId: string,
  campaignId: string,
  whom: Whom,
  cursor: string | null,
  mayContinue: () => boolean,
  by: Actor | null = null,
): Promise<Enrolled & { nextCursor: string | null }> {
  refuseArchived('campaign', await findCampaign(pool, workspaceId, campaignId))
  const listIds = 'listIds' in whom ? whom.listIds : whom.filter.listId ? [whom.filter.listId] : []
  for (const listId of listIds) await refuseUnusableList(pool, workspaceId, listId)
  const total = { ...NOBODY }
  let nextCursor = cursor
  do {
    const ids: string[] =
      'listIds' in whom
        ? await memberIdsAfter(pool, whom.listIds, nextCursor, PROSPECTS_PER_PAGE)
        : await prospectIdsAfter(pool, workspaceId, whom.filter, nextCursor, PROSPECTS_PER_PAGE)
    const page = await inTransaction(pool, (tx) => enrolProspects(tx, workspaceId, campaignId, ids, by))
    for (const name of Object.keys(total) as (keyof Enrolled)[]) total[name] += page[name]
    nextCursor = ids.length === PROSPECTS_PER_PAGE ? (ids.at(-1) ?? null) : null
  } while (nextCursor !== null && mayContinue())
  return { ...total, nextCursor }
}
