import type { Sql } from '#lib/platform/database.ts'
import type { Doubt } from '#lib/platform/generated/enums.ts'

export type MaybeSent = {
  workspace: string
  /** Empty for transactional email. */
  campaignId: string | null
  campaign: string | null
  mailboxId: string
  mailbox: string
  /**
   * `IN_BETWEEN`: its time came after the last sign of sending. `BEFORE`: it was due already then, and waited for a quota,
   * a pause or its turn. `HELD`: a worker had it.
   */
  doubt: Doubt
  emails: number
  from: Date
  to: Date
}

/** One workspace's, from the group after one that was answered. */
export type MaybeSentPage = { workspaceId: string; after?: MaybeSentPlace | undefined; limit: number }

export type MaybeSentPlace = { from: Date; campaignId: string | null; mailboxId: string; doubt: Doubt }

/** Emails that waited when the hold began, and wait still: `d`, `e` and their campaign `c`. */
const IN_DOUBT = `server_sightings s JOIN emails_in_doubt d ON d.sighting_id = s.id
     JOIN scheduled_emails e ON e.id = d.email_id AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED', 'SENDING')
     LEFT JOIN campaigns c ON c.id = e.campaign_id
     WHERE s.lifted_at IS NULL AND (c.id IS NULL OR c.status NOT IN ('STOPPED', 'DRAFT'))`

const GROUPS = `SELECT e.workspace_id, c.id AS "campaignId", c.name AS campaign, e.mailbox_id AS "mailboxId", d.doubt,
    count(*)::int AS emails, min(d.at) AS "from", max(d.at) AS "to"
  FROM ${IN_DOUBT}`

/**
 * What may have been sent by the server that was lost, and is forgotten by this one: what waited here, with its time come,
 * when that was noticed, and waits still. The database cannot tell more: the providers' Sent folders can.
 */
export async function readMaybeSent(sql: Sql, page?: MaybeSentPage): Promise<MaybeSent[]> {
  if (page) return readMaybeSentPage(sql, page)
  const { rows } = await sql.query<MaybeSent>(
    `SELECT w.name AS workspace, g."campaignId", g.campaign, g."mailboxId", m.address AS mailbox, g.doubt, g.emails, g."from", g."to"
     FROM (${GROUPS} GROUP BY e.workspace_id, c.id, e.mailbox_id, d.doubt) g
     JOIN workspaces w ON w.id = g.workspace_id JOIN mailboxes m ON m.id = g."mailboxId"
     ORDER BY w.name, g.campaign, m.address, g."from"`,
  )
  return rows
}

async function readMaybeSentPage(sql: Sql, { workspaceId, after, limit }: MaybeSentPage): Promise<MaybeSent[]> {
  const { rows } = await sql.query<MaybeSent>(
    `SELECT w.name AS workspace, g."campaignId", g.campaign, g."mailboxId", m.address AS mailbox, g.doubt, g.emails, g."from", g."to"
     FROM (${GROUPS} AND e.workspace_id = $1 GROUP BY e.workspace_id, c.id, e.mailbox_id, d.doubt) g
     JOIN workspaces w ON w.id = g.workspace_id JOIN mailboxes m ON m.id = g."mailboxId"
     WHERE $2::timestamptz IS NULL
       OR (g."from", coalesce(g."campaignId"::text, ''), g."mailboxId"::text, g.doubt) > ($2, $3::text, $4::text, $5::doubt)
     ORDER BY g."from", coalesce(g."campaignId"::text, ''), g."mailboxId"::text, g.doubt LIMIT $6`,
    [workspaceId, after?.from, after?.campaignId ?? '', after?.mailboxId, after?.doubt, limit],
  )
  return rows
}

export type MaybeSentSum = { emails: number; from: Date | null; to: Date | null }

/** Of one workspace, all groups together. */
export async function sumMaybeSent(sql: Sql, workspaceId: string): Promise<MaybeSentSum> {
  const { rows } = await sql.query<MaybeSentSum>(
    `SELECT count(*)::int AS emails, min(d.at) AS "from", max(d.at) AS "to" FROM ${IN_DOUBT} AND e.workspace_id = $1`,
    [workspaceId],
  )
  return rows[0] ?? { emails: 0, from: null, to: null }
}
