import { ENROLMENT_STATES } from '#lib/campaigns/ledger.ts'
import { STATUSES } from '#lib/email-scheduler/states.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { EmailKind, EnrolmentState, ScheduledEmailStatus } from '#lib/platform/generated/enums.ts'

export type WorkspaceLedgers = {
  countedAt: Date
  enrolments: Record<EnrolmentState, number> & { total: number }
  /** Of campaigns. `wanted`: the steps of planned enrolments, which must come to the same. */
  emails: Record<ScheduledEmailStatus, number> & { total: number; wanted: number }
  transactional: Record<ScheduledEmailStatus, number> & { total: number }
  /** Of those that failed for good: a person has seen them and wants nothing more. */
  dismissed: Record<EmailKind, number>
  balances: boolean
}

/** One statement, so that all is of one moment; campaign by campaign, it reads indexes and no row. */
export const WORKSPACE_LEDGERS = `SELECT 'enrolments' AS ledger, s.state::text AS name, sum(s.count)::int AS count, sum(s.steps)::int AS steps
    FROM campaigns c CROSS JOIN LATERAL (
      SELECT state, count(*) AS count, sum(planned_steps) AS steps FROM campaign_prospects WHERE campaign_id = c.id GROUP BY state) s
    WHERE c.workspace_id = $1 GROUP BY s.state
  UNION ALL
  SELECT 'emails', s.status::text, sum(s.count)::int, 0 FROM campaigns c CROSS JOIN LATERAL (
      SELECT status, count(*) AS count FROM scheduled_emails WHERE campaign_id = c.id GROUP BY status) s
    WHERE c.workspace_id = $1 GROUP BY s.status
  UNION ALL
  SELECT 'transactional', status::text, count(*)::int, 0 FROM scheduled_emails
    WHERE workspace_id = $1 AND kind = 'TRANSACTIONAL' GROUP BY status
  UNION ALL
  SELECT 'dismissed', kind::text, count(*)::int, 0 FROM scheduled_emails
    WHERE workspace_id = $1 AND status = 'PERMANENTLY_FAILED' AND dismissed_at IS NOT NULL GROUP BY kind`

/** Counting ten million takes a second, and a page asks every five: the same count is given for this many times as long as it took. */
const REST = 20
/** Who would wait longer than this is given the last count, while the next one is made. */
const WAIT_MS_MAX = 200
const WORKSPACES_KEPT = 200

type Counted = { ledgers: Promise<WorkspaceLedgers>; tookMs: number; untilMs: number }

const counted = new Map<string, Counted>()

export function readWorkspaceLedgers(sql: Sql, workspaceId: string): Promise<WorkspaceLedgers> {
  const known = counted.get(workspaceId)
  if (known && known.untilMs > performance.now()) return known.ledgers
  const fresh = countAnew(sql, workspaceId, known)
  return known && known.tookMs > WAIT_MS_MAX ? known.ledgers : fresh
}

function countAnew(sql: Sql, workspaceId: string, known: Counted | undefined): Promise<WorkspaceLedgers> {
  const began = performance.now()
  const ledgers = countLedgers(sql, workspaceId)
  // Until it is there, nobody begins another.
  const until: Counted = known ?? { ledgers, tookMs: 0, untilMs: 0 }
  until.untilMs = Number.POSITIVE_INFINITY
  counted.delete(workspaceId)
  counted.set(workspaceId, until)
  for (const [oldest] of counted) if (counted.size > WORKSPACES_KEPT) counted.delete(oldest)
  ledgers.then(
    () => {
      const tookMs = performance.now() - began
      counted.set(workspaceId, { ledgers, tookMs, untilMs: performance.now() + tookMs * REST })
    },
    () => counted.delete(workspaceId),
  )
  return ledgers
}

async function countLedgers(sql: Sql, workspaceId: string): Promise<WorkspaceLedgers> {
  const countedAt = await appNow(sql)
  const { rows } = await sql.query<{ ledger: string; name: string; count: number; steps: number }>(WORKSPACE_LEDGERS, [
    workspaceId,
  ])
  const of = <Name extends string>(ledger: string, names: readonly Name[]) => {
    const mine = rows.filter((row) => row.ledger === ledger)
    const counts = Object.fromEntries(
      names.map((name) => [name, mine.find((row) => row.name === name)?.count ?? 0]),
    ) as Record<Name, number>
    return { ...counts, total: mine.reduce((sum, { count }) => sum + count, 0) }
  }
  const wanted = rows.reduce((sum, { steps }) => sum + steps, 0)
  const emails = { ...of('emails', STATUSES), wanted }
  return {
    countedAt,
    enrolments: of('enrolments', ENROLMENT_STATES),
    emails,
    transactional: of('transactional', STATUSES),
    dismissed: of('dismissed', ['CAMPAIGN', 'TRANSACTIONAL']),
    balances: emails.total === wanted,
  }
}
