import { PublicError } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { refuseArchived } from '#lib/platform/rows/archived.ts'
import { nameOfCopy } from '#lib/platform/rows/name-of-copy.ts'
import { type Expected, refuseStale } from '#lib/platform/rows/row-version.ts'
import { loadSequence } from '#lib/sequences/sequence.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { recheckBlocked } from './blocked.ts'
import { type Campaign, findCampaign, lockCampaign } from './campaign.ts'
import { REMOVED } from './enrolment-reasons.ts'
import { auditCampaign, refusedBy } from './move.ts'
import { refuseEndBeforeStart, refuseOddTime } from './odd-time.ts'
import { setTimes } from './times.ts'

export type CampaignInput = {
  name: string
  sequenceId: string
  batchSize?: number | undefined
  mailboxIds?: readonly string[] | undefined
  /** Off unless it is asked for. */
  tracksOpens?: boolean | undefined
  tracksClicks?: boolean | undefined
}

/** Of a draft also when it is to start: the dry run is for then, and the launch proposes it. */
export type CampaignChange = Partial<CampaignInput> & {
  scheduledAt?: Date | null | undefined
  /** When it stops by itself; null takes that back. */
  endsAt?: Date | null | undefined
  /** Counts from the next pause on. */
  pauseHoldsClock?: boolean | undefined
}

export async function createCampaign(tx: Sql, workspaceId: string, input: CampaignInput): Promise<Campaign> {
  const sequence = await loadSequence(tx, workspaceId, input.sequenceId)
  refuseArchived('sequence', sequence)
  await refuseForeignMailboxes(tx, workspaceId, input.mailboxIds)
  const id = newId()
  await tx.query(
    `INSERT INTO campaigns (id, workspace_id, sequence_id, name, batch_size, mailbox_ids, tracks_opens, tracks_clicks, created_at, updated_at)
     VALUES ($1, $2, $3, $4, coalesce($5, 500), $6, $7, $8, app_now(), app_now())`,
    [
      ...[id, workspaceId, sequence.id, input.name, input.batchSize ?? null, input.mailboxIds ?? []],
      ...[input.tracksOpens ?? false, input.tracksClicks ?? false],
    ],
  )
  return findCampaign(tx, workspaceId, id)
}

async function stillThere(tx: Sql, { workspaceId, mailboxIds }: Campaign): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id FROM mailboxes WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND status <> 'ARCHIVED' ORDER BY id`,
    [workspaceId, mailboxIds],
  )
  return rows.map(({ id }) => id)
}

/** A draft of its own, with nobody in it. */
export async function duplicateCampaign(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<Campaign> {
  const campaign = await findCampaign(tx, workspaceId, id)
  refuseArchived('campaign', campaign)
  const { name, sequenceId, batchSize, tracksOpens, tracksClicks } = campaign
  const mailboxIds = await stillThere(tx, campaign)
  const same = { sequenceId, batchSize, mailboxIds, tracksOpens, tracksClicks }
  const copy = await createCampaign(tx, workspaceId, { name: nameOfCopy(name), ...same })
  await auditCampaign(tx, campaign, 'duplicate', actor, { copy: copy.id })
  return copy
}

async function refuseForeignMailboxes(tx: Sql, workspaceId: string, ids: readonly string[] = []): Promise<void> {
  const { rows } = await tx.query(
    `SELECT FROM mailboxes WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND status <> 'ARCHIVED'`,
    [workspaceId, ids],
  )
  if (rows.length !== new Set(ids).size)
    throw new PublicError(409, 'no-such-mailbox', 'One of these mailboxes is not there, or was removed. Choose again.')
}

/**
 * The name, the size of a batch, what is tracked and the mailboxes at any time (those who have a mailbox stay on it); the
 * sequence and the start only while it is a draft.
 */
export async function changeCampaign(
  tx: Sql,
  workspaceId: string,
  id: string,
  change: CampaignChange,
  actor: Actor,
  expected?: Expected,
): Promise<Campaign> {
  const campaign = await lockCampaign(tx, workspaceId, id)
  refuseArchived('campaign', campaign)
  refuseStale(expected, campaign.version)
  const isOther = change.sequenceId !== undefined && change.sequenceId !== campaign.sequenceId
  if (isOther) {
    if (campaign.status !== 'DRAFT')
      throw new PublicError(409, 'not-a-draft', 'A campaign keeps its sequence once it has been launched.')
    refuseArchived('sequence', await loadSequence(tx, workspaceId, change.sequenceId ?? ''))
  }
  if (change.scheduledAt !== undefined) {
    if (campaign.status !== 'DRAFT')
      throw new PublicError(409, 'not-a-draft', 'Its start is changed by launching it for another time.')
    if (change.scheduledAt) refuseOddTime(change.scheduledAt, await appNow(tx))
  }
  if (change.endsAt) {
    refuseOddTime(change.endsAt, await appNow(tx))
    if (campaign.status === 'STOPPED') throw refusedBy(campaign, 'stop')
    if (campaign.status === 'SCHEDULED' && campaign.scheduledAt)
      refuseEndBeforeStart(change.endsAt, campaign.scheduledAt)
  }
  await refuseForeignMailboxes(tx, workspaceId, change.mailboxIds)
  const isOtherPlan = isOther || change.scheduledAt !== undefined || change.mailboxIds !== undefined
  await tx.query(
    `UPDATE campaigns SET name = coalesce($2, name), batch_size = coalesce($3, batch_size), sequence_id = coalesce($4, sequence_id),
       mailbox_ids = coalesce($6, mailbox_ids), scheduled_at = CASE WHEN $7 THEN $8 ELSE scheduled_at END,
       tracks_opens = coalesce($12, tracks_opens), tracks_clicks = coalesce($13, tracks_clicks),
       dry_run_at = CASE WHEN $5 THEN NULL ELSE dry_run_at END,
       ends_at = CASE WHEN $9 THEN $10 ELSE ends_at END, pause_holds_clock = coalesce($11, pause_holds_clock), updated_at = app_now() WHERE id = $1`,
    [
      ...[id, change.name ?? null, change.batchSize ?? null, change.sequenceId ?? null, isOtherPlan],
      ...[change.mailboxIds ? [...new Set(change.mailboxIds)] : null],
      ...[change.scheduledAt !== undefined, change.scheduledAt ?? null],
      ...[change.endsAt !== undefined, change.endsAt ?? null, change.pauseHoldsClock ?? null],
      ...[change.tracksOpens ?? null, change.tracksClicks ?? null],
    ],
  )
  const changed = await findCampaign(tx, workspaceId, id)
  await setTimes(tx, changed)
  if (campaign.status !== 'DRAFT') await auditCampaign(tx, changed, 'edit', actor, { before: campaign.name })
  if (isOther) {
    // Who was skipped because of the other sequence is not, or not yet, because of this one: planning sorts them out. Whom
    // a person took out stays out.
    await tx.query(
      `UPDATE campaign_prospects SET state = 'PENDING', reason_code = NULL, reason = NULL WHERE campaign_id = $1 AND state = 'SKIPPED' AND reason_code <> $2`,
      [id, REMOVED],
    )
    await recheckBlocked(tx, changed)
  }
  return changed
}

/** What a dry run was made for, so that a launch that follows it plans the same. */
export async function keepDryRun(sql: Sql, campaign: Pick<Campaign, 'id'>, madeFor: Date): Promise<void> {
  await sql.query(`UPDATE campaigns SET dry_run_at = $2 WHERE id = $1 AND status IN ('DRAFT', 'SCHEDULED')`, [
    campaign.id,
    madeFor,
  ])
}
