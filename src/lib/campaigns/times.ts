import { cancelActionsOfCampaign } from '#lib/actions/cancel.ts'
import { scheduleActions } from '#lib/actions/schedule.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import type { Campaign } from './campaign.ts'

type Times = Pick<Campaign, 'id' | 'workspaceId' | 'status' | 'scheduledAt' | 'endsAt' | 'version'>

/** Which of a campaign's times are to come: an action for each is what makes them happen. */
const WANTED = {
  START_CAMPAIGN: {
    at: ({ status, scheduledAt }: Times) => (status === 'SCHEDULED' ? scheduledAt : null),
    key: 'start',
  },
  END_CAMPAIGN: {
    at: ({ status, endsAt }: Times) => (status === 'DRAFT' || status === 'STOPPED' ? null : endsAt),
    key: 'end',
  },
} as const

const TIMED = ['START_CAMPAIGN', 'END_CAMPAIGN'] as const

/**
 * After a change of a campaign, in its transaction: what is set for it is what it says now. What is set already for that
 * time stays, also where it is done; any other is cancelled, and its key is never used again.
 */
export async function setTimes(tx: Sql, campaign: Times): Promise<void> {
  for (const type of TIMED) {
    const at = WANTED[type].at(campaign)
    if (at !== null && (await isSet(tx, campaign.id, type, at))) continue
    await cancelActionsOfCampaign(tx, campaign.id, [type], at ? 'OTHER_TIME' : reasonOf(type, campaign))
    if (at === null) continue
    const key = `${WANTED[type].key}:${campaign.id}:${campaign.version}`
    const made = await scheduleActions(tx, campaign.workspaceId, [
      { type, dedupeKey: key, dueAt: at, campaignId: campaign.id },
    ])
    // The key of this version was used, and cancelled since.
    if (made === 0)
      await scheduleActions(tx, campaign.workspaceId, [
        { type, dedupeKey: `${key}:${newId()}`, dueAt: at, campaignId: campaign.id },
      ])
  }
}

/**
 * One that has come is over: a campaign that had been sent by its end and was set going again after it would be stopped
 * for good by the next pause or renaming. An end that failed at first was carried out later than it was due.
 */
async function isSet(tx: Sql, campaignId: string, type: (typeof TIMED)[number], at: Date): Promise<boolean> {
  const { rows } = await tx.query(
    `SELECT FROM scheduled_actions WHERE campaign_id = $1 AND type = $2
       AND (due_at = $3 AND status IN ('PENDING', 'RUNNING', 'HELD', 'DEAD') OR due_at >= $3 AND status = 'COMPLETED')`,
    [campaignId, type, at],
  )
  return rows.length > 0
}

function reasonOf(type: (typeof TIMED)[number], { status }: Times) {
  if (status === 'STOPPED') return 'CAMPAIGN_STOPPED'
  if (type === 'END_CAMPAIGN') return 'BY_PERSON'
  return status === 'PAUSED' ? 'CAMPAIGN_PAUSED' : status === 'RUNNING' || status === 'SENT' ? 'BEGUN' : 'BY_PERSON'
}

/**
 * An end is to come, or has come and the campaign goes on all the same. One that had been sent by then had nothing to stop:
 * its end is done, and whatever a person sets going in it after that goes on.
 */
export const MAY_LACK_ITS_END = (campaign: string) =>
  `(${campaign}.ends_at IS NOT NULL AND (${campaign}.status IN ('SCHEDULED', 'RUNNING', 'PAUSED') OR (${campaign}.status = 'SENT' AND ${campaign}.ends_at > app_now())))`

/** Campaigns whose start or end is not set as they say: there are none, unless something went wrong. */
export const CAMPAIGNS_WITHOUT_THEIR_TIMES = `SELECT c.id, c.workspace_id FROM campaigns c
  WHERE (c.status = 'SCHEDULED' AND NOT EXISTS (SELECT FROM scheduled_actions a WHERE a.campaign_id = c.id
      AND a.type = 'START_CAMPAIGN' AND a.status IN ('PENDING', 'RUNNING', 'HELD', 'DEAD')))
    OR (${MAY_LACK_ITS_END('c')} AND NOT EXISTS (
      SELECT FROM scheduled_actions a WHERE a.campaign_id = c.id AND a.type = 'END_CAMPAIGN' AND a.status IN ('PENDING', 'RUNNING', 'HELD', 'DEAD'))
      AND NOT EXISTS (SELECT FROM scheduled_actions a WHERE a.campaign_id = c.id AND a.type = 'END_CAMPAIGN' AND a.status = 'COMPLETED'
        AND a.due_at >= c.ends_at))`
