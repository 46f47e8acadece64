import type { LedgerSums } from '#lib/campaigns/ledger.ts'
import type { CAMPAIGN_BLOCKS } from '#lib/email-scheduler/campaign-blocks.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { CampaignStatus } from '#lib/platform/generated/enums.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

/** What keeps a part of a campaign from going out, and how many it concerns. */
export type CampaignBlock = {
  code: (typeof CAMPAIGN_BLOCKS)[number]
  count: number
  sentence: string
}

export type CampaignPace = {
  sentLastHour: number
  /** When its next email is due at a mailbox that may send; in the past: as soon as its turn comes. */
  nextAt: Date | null
  /** The local date of its last email, as planned; empty where nothing waits, or not everybody is planned yet. */
  lastDate: string | null
  blocks: CampaignBlock[]
}

type Row = {
  id: string
  sentLastHour: number
  nextAt: Date | null
  lastDate: string | null
  pending: number
  blocked: number
  parked: Record<string, number>
  stopped: string[]
}

/**
 * For all campaigns of a page at once. Each figure is the end of a range of an index, or a count of what is rare: of the
 * last hour, of what is parked. Takes the workspace and the campaigns.
 */
export const PACE_SQL = `WITH m AS MATERIALIZED (
    SELECT id, address, status, greatest(deferred_until, fault_until) AS until FROM mailboxes WHERE workspace_id = $1
  ), sent AS MATERIALIZED (
    SELECT e.campaign_id AS id, count(*)::int AS count FROM m JOIN scheduled_emails e
      ON e.mailbox_id = m.id AND e.status = 'SENT' AND e.sent_at > app_now() - interval '1 hour'
    WHERE e.campaign_id IS NOT NULL GROUP BY 1
  )
  SELECT c.id, coalesce(sent.count, 0) AS "sentLastHour", due.at AS "nextAt", due.stopped,
    to_char(ends.date, 'YYYY-MM-DD') AS "lastDate",
    (SELECT count(*)::int FROM (SELECT FROM campaign_prospects WHERE campaign_id = c.id AND state = 'PENDING' LIMIT 1) p) AS pending,
    (SELECT count(*)::int FROM campaign_prospects WHERE campaign_id = c.id AND state = 'BLOCKED') AS blocked,
    (SELECT coalesce(jsonb_object_agg(blocker, count), '{}') FROM (
      SELECT blocker, count(*) FROM scheduled_emails WHERE campaign_id = c.id AND blocker IS NOT NULL GROUP BY 1) b) AS parked
  FROM unnest($2::uuid[]) AS c(id) LEFT JOIN sent ON sent.id = c.id
  CROSS JOIN LATERAL (
    SELECT min(greatest(first.ready_at, m.until)) FILTER (WHERE m.status = 'CONNECTED') AS at,
      coalesce(array_agg(m.address ORDER BY m.address) FILTER (WHERE m.status <> 'CONNECTED'), '{}') AS stopped
    FROM m CROSS JOIN LATERAL (
      SELECT ready_at FROM scheduled_emails WHERE mailbox_id = m.id AND campaign_id = c.id
        AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at IS NOT NULL ORDER BY ready_at LIMIT 1) first) due
  CROSS JOIN LATERAL (
    SELECT max(last.local_date) AS date FROM unnest('{SCHEDULED,RETRY_SCHEDULED}'::scheduled_email_status[]) AS s(status)
    CROSS JOIN LATERAL (SELECT local_date FROM scheduled_emails WHERE campaign_id = c.id AND status = s.status
      ORDER BY campaign_id, status, local_date DESC LIMIT 1) last) ends`

type Subject = { id: string; status: CampaignStatus /** Emails whose outcome is. */; unknown: number }

/** For the campaigns of a page, with their sums. */
export async function withPace<Campaign extends { id: string; status: CampaignStatus } & LedgerSums>(
  sql: Sql,
  workspaceId: string,
  campaigns: readonly Campaign[],
): Promise<(Campaign & CampaignPace)[]> {
  const subjects = campaigns.map(({ id, status, emails }) => ({ id, status, unknown: emails.unknown }))
  const paces = await readPaces(sql, workspaceId, subjects)
  return campaigns.map((campaign, index) => ({ ...campaign, ...(paces[index] ?? STILL) }))
}

export async function readPace(sql: Sql, workspaceId: string, campaign: Subject): Promise<CampaignPace> {
  const [pace] = await readPaces(sql, workspaceId, [campaign])
  return pace ?? STILL
}

const STILL: CampaignPace = { sentLastHour: 0, nextAt: null, lastDate: null, blocks: [] }

/** In the order of the campaigns. */
async function readPaces(sql: Sql, workspaceId: string, campaigns: readonly Subject[]): Promise<CampaignPace[]> {
  const { rows } = await sql.query<Row>(PACE_SQL, [workspaceId, plainArray(campaigns.map(({ id }) => id))])
  const found = new Map(rows.map((row) => [row.id, row]))
  return campaigns.map((campaign) => paceOf(campaign, found.get(campaign.id)))
}

function paceOf({ status, unknown }: Subject, row: Row | undefined): CampaignPace {
  if (!row) return STILL
  const { sentLastHour, nextAt, lastDate, pending } = row
  const isRunning = status === 'RUNNING'
  return {
    sentLastHour,
    nextAt: isRunning ? nextAt : null,
    lastDate: isRunning && pending === 0 ? lastDate : null,
    blocks: status === 'STOPPED' ? [] : blocksOf(row, unknown),
  }
}

const say = (count: number, one: string, many: string) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`

function blocksOf({ parked, blocked, stopped }: Row, unknown: number): CampaignBlock[] {
  const blocks: CampaignBlock[] = []
  const tell = (code: CampaignBlock['code'], count: number, sentence: string) => {
    if (count > 0) blocks.push({ code, count, sentence })
  }
  const { 'mailbox-connected': ofMailbox = 0, 'merge-fields-complete': lacking = 0, ...others } = parked
  const { 'prospect-active': paused = 0, ...rest } = others
  const which = stopped.length === 1 ? `${stopped[0]} is stopped` : `${stopped.length} mailboxes are stopped`
  tell('mailbox', stopped.length || ofMailbox, stopped.length > 0 ? which : 'A mailbox is stopped')
  tell('missing-fields', blocked, say(blocked, 'person lacks a field', 'people lack a field'))
  tell('fields-of-emails', lacking, say(lacking, 'planned email lacks a field', 'planned emails lack a field'))
  tell('paused-people', paused, say(paused, 'email waits for a paused person', 'emails wait for paused people'))
  tell('unknown', unknown, say(unknown, 'outcome is unknown', 'outcomes are unknown'))
  const sum = Object.values(rest).reduce((all, count) => all + count, 0)
  tell('parked', sum, say(sum, 'email is held back', 'emails are held back'))
  return blocks
}
