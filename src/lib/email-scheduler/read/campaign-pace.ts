import { heldMs } from '#lib/campaigns/journeys/leave.ts'
import { UNDER_WAY } from '#lib/campaigns/journeys/open.ts'
import type { LedgerSums } from '#lib/campaigns/ledger.ts'
import type { CAMPAIGN_BLOCKS } from '#lib/email-scheduler/campaign-blocks.ts'
import { appNow } from '#lib/platform/clock.ts'
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
  /** The hour that was counted. */
  lastHour: { from: Date; until: Date }
  /** When its next email is due at a mailbox that may send; in the past: as soon as its turn comes. */
  nextAt: Date | null
  /**
   * The local date of its last email, as planned; empty where nothing waits, not everybody is planned yet, or a person is on
   * the way through a sequence that branches, and may get more.
   */
  lastDate: string | null
  blocks: CampaignBlock[]
}

const HOUR_MS = 3_600_000

type Row = {
  id: string
  sentLastHour: number
  nextAt: Date | null
  lastDate: string | null
  pending: number
  onTheWay: number
  blocked: number
  parked: Record<string, number>
  stopped: string[]
}

/**
 * For all campaigns of a page at once. Each figure is the end of a range of an index, or a count of what is rare: of the
 * last hour, of what is parked. Takes the workspace, the campaigns, and when the hour begins and ends.
 */
export const PACE_SQL = `WITH m AS MATERIALIZED (
    SELECT id, address, status, greatest(deferred_until, fault_until) AS until FROM mailboxes WHERE workspace_id = $1
  ), sent AS MATERIALIZED (
    SELECT e.campaign_id AS id, count(*)::int AS count FROM m JOIN scheduled_emails e
      ON e.mailbox_id = m.id AND e.status = 'SENT' AND e.sent_at >= $3 AND e.sent_at < $4
    WHERE e.campaign_id IS NOT NULL GROUP BY 1
  )
  SELECT c.id, coalesce(sent.count, 0) AS "sentLastHour", due.at AS "nextAt", due.stopped,
    to_char(ends.date, 'YYYY-MM-DD') AS "lastDate",
    (SELECT count(*)::int FROM (SELECT FROM campaign_prospects WHERE campaign_id = c.id AND state = 'PENDING' LIMIT 1) p) AS pending,
    (SELECT count(*)::int FROM (SELECT FROM journeys j WHERE j.campaign_id = c.id AND ${UNDER_WAY} LIMIT 1) w) AS "onTheWay",
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
  return campaigns.map((campaign) => ({ ...campaign, ...paceIn(paces, campaign) }))
}

export async function readPace(sql: Sql, workspaceId: string, campaign: Subject): Promise<CampaignPace> {
  return paceIn(await readPaces(sql, workspaceId, [campaign]), campaign)
}

/** How many of what waits in the workspace are looked at, since no index leads to a campaign's by their time. */
const NEXT_BRANCH_AMONG = 1_000

/**
 * When a campaign that runs decides its next branch, if nothing happens before; empty where nobody stands at one, and where all
 * of that is behind so much else that it is far away.
 */
export async function readNextBranch(sql: Sql, workspaceId: string, campaign: Pick<Subject, 'id' | 'status'>) {
  if (campaign.status !== 'RUNNING') return null
  const { rows } = await sql.query<{ at: Date | null }>(
    `WITH soon AS MATERIALIZED (
       SELECT campaign_id, type, due_at, held_ms_before FROM scheduled_actions
       WHERE workspace_id = $1 AND status = 'PENDING' AND enrolment_id IS NOT NULL ORDER BY due_at LIMIT ${NEXT_BRANCH_AMONG})
     SELECT min(soon.due_at + make_interval(secs => (${heldMs('c')} - soon.held_ms_before) / 1000.0)) AS at
     FROM soon JOIN campaigns c ON c.id = soon.campaign_id WHERE c.id = $2 AND soon.type = 'TIMEOUT'`,
    [workspaceId, campaign.id],
  )
  return rows[0]?.at ?? null
}

type Paces = ReadonlyMap<string, CampaignPace>

function paceIn(paces: Paces, { id }: { id: string }): CampaignPace {
  const pace = paces.get(id)
  if (!pace) throw new Error('each campaign that is asked for has a row')
  return pace
}

async function readPaces(sql: Sql, workspaceId: string, campaigns: readonly Subject[]): Promise<Paces> {
  const until = await appNow(sql)
  const lastHour = { from: new Date(until.getTime() - HOUR_MS), until }
  const ids = plainArray(campaigns.map(({ id }) => id))
  const { rows } = await sql.query<Row>(PACE_SQL, [workspaceId, ids, lastHour.from, lastHour.until])
  const subjects = new Map(campaigns.map((campaign) => [campaign.id, campaign]))
  return new Map(
    rows.flatMap((row) => {
      const subject = subjects.get(row.id)
      return subject ? [[row.id, paceOf(subject, row, lastHour)]] : []
    }),
  )
}

function paceOf({ status, unknown }: Subject, row: Row, lastHour: CampaignPace['lastHour']): CampaignPace {
  const { sentLastHour, nextAt, lastDate, pending, onTheWay } = row
  const isRunning = status === 'RUNNING'
  return {
    ...{ sentLastHour, lastHour },
    nextAt: isRunning ? nextAt : null,
    lastDate: isRunning && pending + onTheWay === 0 ? lastDate : null,
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
