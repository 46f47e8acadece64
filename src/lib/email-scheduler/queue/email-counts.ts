import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'
import { NO_ID, type OutboxFilter } from './outbox-source.ts'

/** How many emails of a state a filter finds. */
export type StateCount = { status: ScheduledEmailStatus; isDismissed: boolean; count: number }

type Cells = { text: string; values: unknown[] }

/**
 * The cells that a filter finds, with what ticks have not added up yet: in one statement, so that each change of an email
 * is counted once, before it is added up, while it is, and after. What no cell knows (a person, a search) is not asked here.
 */
export function cellsOf(workspaceId: string, filter: OutboxFilter): Cells {
  const { mailboxId, campaignId, kind, errorCode, fromDate, untilDate } = filter
  const values: unknown[] = [workspaceId, mailboxId ?? NO_ID]
  const take = (value: unknown) => `$${values.push(value)}`
  const conditions = [
    'workspace_id = $1',
    campaignId && `campaign_id = ${take(campaignId)}`,
    kind && `campaign_id ${kind === 'TRANSACTIONAL' ? '=' : '<>'} '${NO_ID}'`,
    errorCode && `error_code = ${take(errorCode)}`,
    fromDate && `local_date >= ${take(fromDate)}`,
    untilDate && `local_date <= ${take(untilDate)}`,
  ]
  const where = conditions.filter(Boolean).join(' AND ')
  const columns = 'campaign_id, local_date, status, is_dismissed'
  return {
    values,
    text: `SELECT ${columns}, emails FROM email_counts WHERE ${where} AND mailbox_id = $2
      UNION ALL SELECT ${columns}, change FROM email_count_changes WHERE ${where} AND $2 IN (mailbox_id, '${NO_ID}')`,
  }
}

export async function countByState(sql: Sql, workspaceId: string, filter: OutboxFilter): Promise<StateCount[]> {
  const { text, values } = cellsOf(workspaceId, filter)
  const { rows } = await sql.query<StateCount>(
    `SELECT status, is_dismissed AS "isDismissed", sum(emails)::int AS count FROM (${text}) cells GROUP BY 1, 2`,
    values,
  )
  return rows
}
