import type { Sql } from '#lib/platform/database.ts'
import { readHold } from './hold.ts'

export type MaybeSent = {
  workspace: string
  /** Empty for transactional email. */
  campaign: string | null
  mailbox: string
  /**
   * `in-between`: its time came after the last sign of sending. `before`: it was due already then, and waited for a quota,
   * a pause or its turn. `held`: a worker had it.
   */
  when: 'in-between' | 'before' | 'held'
  emails: number
  from: Date
  to: Date
}

/**
 * What may have been sent by the server that was lost, and is forgotten by this one: everything that waits here and whose
 * time had come when that was noticed. The database cannot tell more: the providers' Sent folders can.
 */
export async function readMaybeSent(sql: Sql): Promise<MaybeSent[]> {
  const { since, lastSignAt } = await readHold(sql)
  const { rows } = await sql.query<MaybeSent>(
    `SELECT w.name AS workspace, c.name AS campaign, m.address AS mailbox, e.when, count(*)::int AS emails, min(e.at) AS "from", max(e.at) AS "to"
     FROM (SELECT workspace_id, campaign_id, mailbox_id, at,
         CASE WHEN status = 'SENDING' THEN 'held' WHEN at <= $2 THEN 'before' ELSE 'in-between' END AS when
       FROM (SELECT *, CASE WHEN status = 'SENDING' THEN leased_at ELSE coalesce(ready_at, next_retry_at, scheduled_for) END AS at FROM scheduled_emails
         WHERE status IN ('SCHEDULED', 'RETRY_SCHEDULED', 'SENDING')) waiting
       WHERE at <= coalesce($1, app_now())) e
     JOIN workspaces w ON w.id = e.workspace_id JOIN mailboxes m ON m.id = e.mailbox_id LEFT JOIN campaigns c ON c.id = e.campaign_id
     WHERE c.id IS NULL OR c.status NOT IN ('STOPPED', 'DRAFT')
     GROUP BY w.id, c.id, m.id, e.when ORDER BY w.name, c.name, m.address, "from"`,
    [since, lastSignAt],
  )
  return rows
}
