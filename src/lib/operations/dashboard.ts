import { countByState } from '#lib/email-scheduler/queue/email-counts.ts'
import { type Hold, readHold } from '#lib/email-scheduler/send/hold.ts'
import { getDailySentCount } from '#lib/email-scheduler/send/quota-use.ts'
import { readSendingSettings } from '#lib/email-scheduler/sending-settings.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import { SendingCalendar } from '#lib/guardrails/calendar.ts'
import { mailboxTrouble } from '#lib/guardrails/guards.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { localDateOf } from '#lib/platform/time/local-date.ts'
import { type LastTick, readLastTick } from '#lib/worker/heartbeat.ts'

export type Dashboard = {
  pendingEmailCount: number
  failedEmailCount: number
  unknownEmailCount: number
  today: { date: string; sent: number; reserved: number; quota: number } | null
  /** Those that are stopped or pause. */
  mailboxes: { id: string; address: string; status: string; sentence: string }[]
  lastTick: LastTick
  hold: Hold
}

/** What a workspace's people want to know first. No number reads an email that it does not show. */
export async function readDashboard(sql: Sql, workspaceId: string): Promise<Dashboard> {
  const now = await appNow(sql)
  const settings = await readSendingSettings(sql, workspaceId)
  return {
    ...(await countEmails(sql, workspaceId)),
    today: settings ? await readToday(sql, workspaceId, settings, now) : null,
    mailboxes: settings ? await readTroubledMailboxes(sql, workspaceId, settings, now) : [],
    lastTick: await readLastTick(sql),
    hold: await readHold(sql),
  }
}

type EmailCounts = Pick<Dashboard, 'pendingEmailCount' | 'failedEmailCount' | 'unknownEmailCount'>

async function countEmails(sql: Sql, workspaceId: string): Promise<EmailCounts> {
  const states = (await countByState(sql, workspaceId, {})).filter(({ isDismissed }) => !isDismissed)
  const sum = (...among: ScheduledEmailStatus[]) =>
    states.reduce((total, { status, count }) => (among.includes(status) ? total + count : total), 0)
  return {
    pendingEmailCount: sum('SCHEDULED', 'RETRY_SCHEDULED', 'SENDING'),
    failedEmailCount: sum('PERMANENTLY_FAILED'),
    unknownEmailCount: sum('OUTCOME_UNKNOWN'),
  }
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
