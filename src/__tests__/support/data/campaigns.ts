import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { makeWorkspace, type TestWorkspace, type WorkspaceWanted } from './workspaces.ts'

export type TestCampaign = TestWorkspace & { campaignId: string; sequenceId: string; mailboxId: string }

export type CampaignWanted = WorkspaceWanted & {
  /** Where it runs; else in a workspace of its own, with one mailbox and nothing that holds an email up. */
  in?: { workspaceId: string; mailboxIds?: string[] }
  /** A sequence that is there; else one of its own, a step for each delay in days. */
  sequenceId?: string
  delays?: number[]
  batchSize?: number
}

const UNHINDERED = {
  settings: { daily_quota: 1000, jitter_min_seconds: 0, jitter_max_seconds: 0 },
  limits: { dailyLimit: 1000 },
}

/** A running campaign with nobody in it. A draft, made by the product's own verbs, is in drafts.ts. */
export async function makeCampaign(sql: Sql, wanted: CampaignWanted = {}): Promise<TestCampaign> {
  const { mailboxes = 1, settings, limits, delays = [0], batchSize = 50 } = wanted
  const { workspaceId, mailboxIds = [] } =
    wanted.in ??
    (await makeWorkspace(sql, {
      mailboxes,
      settings: { ...UNHINDERED.settings, ...settings },
      limits: { ...UNHINDERED.limits, ...limits },
    }))
  const sequenceId = wanted.sequenceId ?? (await makeSequence(sql, workspaceId, delays))
  const campaignId = newId()
  await sql.query(
    `INSERT INTO campaigns (id, workspace_id, sequence_id, name, status, batch_size, updated_at)
     VALUES ($1, $2, $3, 'Spring', 'RUNNING', $4, app_now())`,
    [campaignId, workspaceId, sequenceId, batchSize],
  )
  return { workspaceId, mailboxIds, mailboxId: mailboxIds[0] ?? '', campaignId, sequenceId }
}

export async function makeSequence(sql: Sql, workspaceId: string, delayDays: number[]): Promise<string> {
  const sequenceId = newId()
  await sql.query(`INSERT INTO sequences (id, workspace_id, name, updated_at) VALUES ($1, $2, 'Welcome', app_now())`, [
    sequenceId,
    workspaceId,
  ])
  await sql.query(
    `INSERT INTO sequence_steps (id, sequence_id, step_number, delay_days, updated_at)
     SELECT gen_random_uuid(), $1, s.number, s.delay, app_now() FROM unnest($2::int[]) WITH ORDINALITY AS s(delay, number)`,
    [sequenceId, delayDays],
  )
  return sequenceId
}

export async function enrol(
  sql: Sql,
  { workspaceId, campaignId }: Pick<TestCampaign, 'workspaceId' | 'campaignId'>,
  prospectIds: string[],
): Promise<void> {
  await sql.query(
    `INSERT INTO campaign_prospects (id, workspace_id, campaign_id, prospect_id)
     SELECT e.id, $3, $4, e.prospect FROM unnest($1::uuid[], $2::uuid[]) AS e(id, prospect)`,
    [prospectIds.map(newId), prospectIds, workspaceId, campaignId],
  )
}
