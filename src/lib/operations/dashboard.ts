import { type Hold, readHold } from '#lib/email-scheduler/send/hold.ts'
import { getDailySentCount } from '#lib/email-scheduler/send/quota-use.ts'
import { readSendingSettings } from '#lib/email-scheduler/sending-settings.ts'
import { SendingCalendar } from '#lib/guardrails/calendar.ts'
import { mailboxTrouble } from '#lib/guardrails/guards.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { localDateOf } from '#lib/platform/local-date.ts'
import { type LastTick, readLastTick } from '#lib/worker/heartbeat.ts'

/** Counting stops here: who has more waiting need not wait for the last digit. */
const COUNTED_MAX = 100_000

export type Dashboard = {
  pendingEmailCount: number
  failedEmailCount: number
  unknownEmailCount: number
  /** Where a count says this, it is at least that many. */
  countedMax: number
  today: { date: string; sent: number; reserved: number; quota: number } | null
  /** Those that are stopped or pause. */
  mailboxes: { id: string; address: string; status: string; sentence: string }[]
  lastTick: LastTick
  hold: Hold
}

/** What a workspace's people want to know first. Every number comes from an index that holds little more than it counts. */
export async function readDashboard(sql: Sql, workspaceId: string): Promise<Dashboard> {
  const now = await appNow(sql)
  const settings = await readSendingSettings(sql, workspaceId)
  return {
    ...(await countEmails(sql, workspaceId)),
    countedMax: COUNTED_MAX,
    today: settings ? await readToday(sql, workspaceId, settings, now) : null,
    mailboxes: settings ? await readTroubledMailboxes(sql, workspaceId, settings, now) : [],
    lastTick: await readLastTick(sql),
    hold: await readHold(sql),
  }
}

/** Campaign by campaign, state by state: each is one range of an index, read up to the limit. */
export const COUNT_EMAILS = `WITH waiting AS (
    SELECT FROM campaigns c CROSS JOIN unnest('{SCHEDULED,RETRY_SCHEDULED,SENDING}'::scheduled_email_status[]) AS s(status)
    CROSS JOIN LATERAL (SELECT FROM scheduled_emails e WHERE e.campaign_id = c.id AND e.status = s.status LIMIT $2) e
    WHERE c.workspace_id = $1 LIMIT $2
  ), transactional AS (
    SELECT FROM scheduled_emails WHERE workspace_id = $1 AND kind = 'TRANSACTIONAL'
      AND status IN ('SCHEDULED', 'RETRY_SCHEDULED', 'SENDING') LIMIT $2
  ), failed AS (
    SELECT FROM scheduled_emails WHERE workspace_id = $1 AND status = 'PERMANENTLY_FAILED' AND dismissed_at IS NULL LIMIT $2
  ), unknown AS (
    SELECT FROM scheduled_emails WHERE workspace_id = $1 AND status = 'OUTCOME_UNKNOWN' AND dismissed_at IS NULL LIMIT $2)
  SELECT least($2, (SELECT count(*) FROM waiting) + (SELECT count(*) FROM transactional))::int AS "pendingEmailCount",
    (SELECT count(*)::int FROM failed) AS "failedEmailCount", (SELECT count(*)::int FROM unknown) AS "unknownEmailCount"`

async function countEmails(
  sql: Sql,
  workspaceId: string,
): Promise<Pick<Dashboard, 'pendingEmailCount' | 'failedEmailCount' | 'unknownEmailCount'>> {
  const { rows } = await sql.query<Awaited<ReturnType<typeof countEmails>>>(COUNT_EMAILS, [workspaceId, COUNTED_MAX])
  return rows[0] ?? { pendingEmailCount: 0, failedEmailCount: 0, unknownEmailCount: 0 }
}

async function readToday(
  sql: Sql,
  workspaceId: string,
  settings: SendingSettings,
  now: Date,
): Promise<Dashboard['today']> {
  const calendar = new SendingCalendar(settings)
  const day = calendar.dayAt(now.getTime())
  const date = localDateOf(day)
  const { rows } = await sql.query<{ sent: number }>(
    `SELECT count(*)::int AS sent FROM mailboxes m JOIN scheduled_emails e ON e.mailbox_id = m.id
     WHERE m.workspace_id = $1 AND e.status = 'SENT' AND e.sent_at >= $2`,
    [workspaceId, new Date(calendar.startMs(day))],
  )
  const reserved = await getDailySentCount(sql, workspaceId, date)
  return { date, sent: rows[0]?.sent ?? 0, reserved, quota: settings.dailyQuota }
}

type MailboxRow = {
  id: string
  address: string
  status: 'CONNECTED' | 'STOPPED' | 'ARCHIVED'
  stoppedReason: string | null
  deferredUntil: Date | null
  pauseReason: string | null
}

async function readTroubledMailboxes(
  sql: Sql,
  workspaceId: string,
  settings: SendingSettings,
  now: Date,
): Promise<Dashboard['mailboxes']> {
  const { rows } = await sql.query<MailboxRow>(
    `SELECT id, address, status, stopped_reason AS "stoppedReason", greatest(deferred_until, fault_until) AS "deferredUntil",
       pause_reason AS "pauseReason"
     FROM mailboxes WHERE workspace_id = $1 AND status <> 'ARCHIVED' ORDER BY address`,
    [workspaceId],
  )
  return rows.flatMap((mailbox) => {
    const sentence = mailboxTrouble({ now, settings, mailbox })
    return sentence === null ? [] : [{ id: mailbox.id, address: mailbox.address, status: mailbox.status, sentence }]
  })
}
