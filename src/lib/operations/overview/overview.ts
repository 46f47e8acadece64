import { calendarOf } from '#lib/email-scheduler/calendar-of.ts'
import { readLimitsOfToday, readMailboxOutlooks } from '#lib/email-scheduler/read/mailboxes-today.ts'
import { type Hold, readHold } from '#lib/email-scheduler/send/hold.ts'
import { readSendingSettings } from '#lib/email-scheduler/sending-settings.ts'
import type { LimitOfTodayName } from '#lib/guardrails/limit-names.ts'
import { notFound } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { type LastTick, readLastTick } from '#lib/worker/heartbeat.ts'
import { type Attention, readAttention } from './attention.ts'
import { COUNTED_MAX } from './counted.ts'
import { type DayFigures, type Hours, readDays, readHours } from './figures.ts'

export type Overview = Hours & {
  now: Date
  days: DayFigures[]
  /** Of figures of what is planned: where they come to this, it is at least this many. */
  countedMax: number
  limit: { atMost: number; wins: LimitOfTodayName; sentence: string }
  next: { at: Date; to: string | null; emailId: string; mailbox: string } | null
  lastTick: LastTick
  hold: Hold
  attention: Attention[]
  steps: FirstSteps
}

/** What a workspace needs before its first email can go, each as far as it is done. */
export type FirstSteps = { mailbox: boolean; people: boolean; sequence: boolean; campaign: boolean }

/** Is everything going out as it should, and what needs a person: of one moment, as far as one look can be. */
export async function readOverview(sql: Sql, workspaceId: string): Promise<Overview> {
  const settings = await readSendingSettings(sql, workspaceId)
  if (!settings) throw notFound()
  const [now, lastTick, hold] = await Promise.all([appNow(sql), readLastTick(sql), readHold(sql)])
  const calendar = calendarOf(settings)
  const [hours, days, limits, next, attention, steps] = await Promise.all([
    readHours(sql, workspaceId, calendar, now),
    readDays(sql, workspaceId, calendar, now),
    readLimitsOfToday(sql, workspaceId),
    readNext(sql, workspaceId),
    readAttention(sql, workspaceId, { lastTick, hold }),
    readSteps(sql, workspaceId),
  ])
  const winner = limits.limits.find(({ name }) => name === limits.wins)
  return {
    ...{ now, ...hours, days, countedMax: COUNTED_MAX, next, lastTick, hold, attention, steps },
    limit: { atMost: limits.atMost, wins: limits.wins, sentence: winner?.sentence ?? '' },
  }
}

/** The first of what the mailboxes send next. */
async function readNext(sql: Sql, workspaceId: string): Promise<Overview['next']> {
  const outlooks = [...(await readMailboxOutlooks(sql, workspaceId))]
  const coming = outlooks.flatMap(([mailboxId, { next }]) => (next ? [{ mailboxId, ...next }] : []))
  const [first] = coming.sort((one, other) => one.at.getTime() - other.at.getTime())
  if (!first) return null
  const { mailboxId, ...next } = first
  const { rows } = await sql.query<{ address: string }>(
    'SELECT address FROM mailboxes WHERE workspace_id = $1 AND id = $2',
    [workspaceId, mailboxId],
  )
  return { ...next, mailbox: rows[0]?.address ?? '' }
}

async function readSteps(sql: Sql, workspaceId: string): Promise<FirstSteps> {
  const { rows } = await sql.query<FirstSteps>(
    `SELECT EXISTS (SELECT FROM mailboxes WHERE workspace_id = $1 AND status = 'CONNECTED') AS mailbox,
       EXISTS (SELECT FROM prospects WHERE workspace_id = $1 AND archived_at IS NULL AND erased_at IS NULL) AS people,
       EXISTS (SELECT FROM sequences s JOIN sequence_steps t ON t.sequence_id = s.id
         WHERE s.workspace_id = $1 AND s.archived_at IS NULL) AS sequence,
       EXISTS (SELECT FROM campaigns WHERE workspace_id = $1 AND status <> 'DRAFT') AS campaign`,
    [workspaceId],
  )
  return rows[0] ?? { mailbox: false, people: false, sequence: false, campaign: false }
}
