import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { takeFairLock } from '#lib/platform/fair-lock.ts'
import type { CampaignStatus } from '#lib/platform/generated/enums.ts'
import { type ArchivedChoice, archivedSql } from '#lib/platform/rows/archived.ts'
import { actionsFor, type CampaignVerb } from './verbs.ts'

export type Campaign = {
  id: string
  workspaceId: string
  sequenceId: string
  name: string
  status: CampaignStatus
  scheduledAt: Date | null
  launchedAt: Date | null
  dryRunAt: Date | null
  /** When it stops by itself. */
  endsAt: Date | null
  /** Whether a pause stops the clock of those who wait in it. */
  pauseHoldsClock: boolean
  /** For how long pauses have stopped it before, and since when one does. */
  clockHeldMs: number
  clockHeldSince: Date | null
  batchSize: number
  /** What new people are spread over; empty for all that are connected. */
  mailboxIds: string[]
  tracksOpens: boolean
  tracksClicks: boolean
  stepsPlanned: number
  /** Rises with every change. */
  version: number
  archivedAt: Date | null
  createdAt: Date
  updatedAt: Date
  /** What a person may do with it now. */
  actions: CampaignVerb[]
}

type CampaignRow = Omit<Campaign, 'actions'>

const withActions = (row: CampaignRow): Campaign => ({ ...row, actions: actionsFor(row) })

const COLUMNS = `id, workspace_id AS "workspaceId", sequence_id AS "sequenceId", name, status, scheduled_at AS "scheduledAt",
  launched_at AS "launchedAt", dry_run_at AS "dryRunAt", ends_at AS "endsAt", pause_holds_clock AS "pauseHoldsClock",
  clock_held_ms AS "clockHeldMs", clock_held_since AS "clockHeldSince", batch_size AS "batchSize", mailbox_ids AS "mailboxIds",
  tracks_opens AS "tracksOpens", tracks_clicks AS "tracksClicks", steps_planned AS "stepsPlanned", version,
  archived_at AS "archivedAt", created_at AS "createdAt", updated_at AS "updatedAt"`

export async function loadCampaign(sql: Sql, workspaceId: string, id: string): Promise<Campaign | undefined> {
  return one(sql, workspaceId, id, '')
}

/** For routes: what is not there, or is another workspace's, answers 404. */
export async function findCampaign(sql: Sql, workspaceId: string, id: string): Promise<Campaign> {
  const campaign = await loadCampaign(sql, workspaceId, id)
  if (!campaign) throw notFound()
  return campaign
}

/**
 * The same, and its status holds until the transaction ends: a pause or stop waits for it, and then finds everything
 * that it inserted.
 */
export async function lockCampaignShared(tx: Sql, workspaceId: string, id: string): Promise<Campaign | undefined> {
  return one(tx, workspaceId, id, 'FOR SHARE')
}

/** The same, for a change of it: waits for every batch and mark that holds it, and for none that comes later. */
export async function lockCampaign(tx: Sql, workspaceId: string, id: string): Promise<Campaign> {
  await takeFairLock(tx, 'to change', [id])
  const campaign = await one(tx, workspaceId, id, 'FOR NO KEY UPDATE')
  if (!campaign) throw notFound()
  return campaign
}

async function one(sql: Sql, workspaceId: string, id: string, lock: string): Promise<Campaign | undefined> {
  const { rows } = await sql.query<CampaignRow>(
    `SELECT ${COLUMNS} FROM campaigns WHERE workspace_id = $1 AND id = $2 ${lock}`,
    [workspaceId, id],
  )
  return rows[0] && withActions(rows[0])
}

type CampaignsWanted = {
  status?: CampaignStatus | undefined
  archived: ArchivedChoice
  cursor?: string | undefined
  limit: number
}

export type CampaignPage = { campaigns: Campaign[]; nextCursor: string | null }

/** Newest first. */
export async function listCampaigns(
  sql: Sql,
  workspaceId: string,
  { status, archived, cursor, limit }: CampaignsWanted,
): Promise<CampaignPage> {
  const { rows } = await sql.query<CampaignRow>(
    `SELECT ${COLUMNS} FROM campaigns
     WHERE workspace_id = $1 AND ${archivedSql('archived_at', archived)} AND ($2::campaign_status IS NULL OR status = $2) AND ($3::uuid IS NULL OR id < $3)
     ORDER BY id DESC LIMIT $4`,
    [workspaceId, status ?? null, cursor ?? null, limit + 1],
  )
  const campaigns = rows.slice(0, limit).map(withActions)
  return { campaigns, nextCursor: rows.length > limit ? (campaigns.at(-1)?.id ?? null) : null }
}

/** Is a campaign that is not over on this sequence? */
export async function sequenceIsInUse(sql: Sql, sequenceId: string): Promise<boolean> {
  const { rows } = await sql.query(
    `SELECT FROM campaigns WHERE sequence_id = $1 AND archived_at IS NULL AND status <> 'STOPPED' LIMIT 1`,
    [sequenceId],
  )
  return rows.length > 0
}
