import type pg from 'pg'
import { Problem } from '#cli/problem.ts'
import { countOutbox } from '#lib/email-scheduler/queue/count-outbox.ts'
import { listOutbox } from '#lib/email-scheduler/queue/list-outbox.ts'
import type { OutboxFilter } from '#lib/email-scheduler/queue/outbox-source.ts'
import { QUEUE_PART_NAMES } from '#lib/email-scheduler/queue-parts.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { print, quantile, verdictAtMost } from '../rounds.ts'
import { longQueue } from '../send/claims.ts'
import { startBenchServer } from '../server.ts'

/** Enough that the worst of them, which reads from the disk what nobody has asked for yet, is not the p95. */
const TIMES = 40
const MOST_MS = 100
const SHOWN = 8

/** How long the queue's page waits for its list and its counts: every tab, each filter alone and in pairs. */
export async function benchQueue(args: string[]): Promise<void> {
  const rows = Number(args[0] ?? 10_000_000)
  if (!Number.isInteger(rows) || rows < 100_000)
    throw new Problem('Say how many emails, at least 100000: npm run bench -- queue 10000000')
  const server = await startBenchServer()
  let pool: pg.Pool | undefined
  try {
    pool = await longQueue(server, rows, { mailboxes: 200, campaigns: 40 })
    const workspaceId = await settleSome(pool)
    const filters = filtersOf(await valuesIn(pool, workspaceId))
    const measured = [
      ...(await measure(pool, workspaceId, filters, 'list')),
      ...(await measure(pool, workspaceId, filters, 'count')),
    ]
    for (const what of ['list', 'count'] as const) {
      const ms = measured.filter((one) => one.what === what).flatMap((one) => one.ms)
      print(
        `\n${what}, ${filters.length} filters: p50 ${quantile(ms, 0.5).toFixed(1)} ms, p95 ${quantile(ms, 0.95).toFixed(1)} ms`,
      )
      const slowest = measured
        .filter((one) => one.what === what)
        .toSorted((one, other) => quantile(other.ms, 0.95) - quantile(one.ms, 0.95))
      verdictAtMost(`p95 of the slowest ${what} in ms`, quantile(slowest[0]?.ms ?? [], 0.95), MOST_MS)
      for (const { name, ms: its } of slowest.slice(0, SHOWN))
        print(
          `  p50 ${quantile(its, 0.5).toFixed(1).padStart(6)} ms, p95 ${quantile(its, 0.95).toFixed(1).padStart(6)} ms, once ${Math.max(...its).toFixed(1)} ms: ${name}`,
        )
    }
  } finally {
    await pool?.end()
    await server.stop()
  }
}

/** One of a hundred failed, one is unknown, two are cancelled: spread over the queue, as they come. */
async function settleSome(pool: pg.Pool): Promise<string> {
  await inTransaction(pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica')
    await tx.query(
      `UPDATE scheduled_emails e SET status = s.status, ready_at = NULL, blocker = NULL,
         last_error_code = CASE WHEN s.status <> 'CANCELLED' THEN 'MESSAGE_REFUSED' END,
         cancelled_at = CASE WHEN s.status = 'CANCELLED' THEN app_now() END,
         cancel_reason = CASE WHEN s.status = 'CANCELLED' THEN 'BY_PERSON' END,
         lease_token = CASE WHEN s.status = 'OUTCOME_UNKNOWN' THEN 1 ELSE lease_token END,
         marked_token = CASE WHEN s.status = 'OUTCOME_UNKNOWN' THEN 1 ELSE marked_token END,
         submit_started_at = CASE WHEN s.status = 'OUTCOME_UNKNOWN' THEN app_now() ELSE submit_started_at END
       FROM (SELECT id, (CASE share WHEN 0 THEN 'PERMANENTLY_FAILED' WHEN 1 THEN 'OUTCOME_UNKNOWN' ELSE 'CANCELLED' END)::scheduled_email_status AS status
         FROM (SELECT id, ('x' || right(id::text, 6))::bit(24)::int % 100 AS share FROM scheduled_emails WHERE status = 'SCHEDULED') one
         WHERE share < 4) s
       WHERE s.id = e.id`,
    )
  })
  // Filled past the triggers; a tick would come before long.
  await pool.query('SELECT recount_emails(), recount_people()')
  await pool.query('VACUUM ANALYZE scheduled_emails, email_counts')
  const { rows: cells } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM email_counts')
  print(`${(cells[0]?.count ?? 0).toLocaleString('en')} cells of counts`)
  const { rows } = await pool.query<{ id: string }>('SELECT workspace_id AS id FROM scheduled_emails LIMIT 1')
  return rows[0]?.id ?? ''
}

type Values = { campaignId: string; mailboxId: string; date: string }

async function valuesIn(pool: pg.Pool, workspaceId: string): Promise<Values> {
  const { rows } = await pool.query<Values>(
    `SELECT campaign_id AS "campaignId", mailbox_id AS "mailboxId", local_date::text AS date FROM scheduled_emails
     WHERE workspace_id = $1 AND status = 'SENT' ORDER BY id LIMIT 1`,
    [workspaceId],
  )
  if (!rows[0]) throw new Error('the queue was not filled')
  return rows[0]
}

function filtersOf({ campaignId, mailboxId, date }: Values): { name: string; filter: OutboxFilter }[] {
  const single: [string, OutboxFilter][] = [
    ['a campaign', { campaignId }],
    ['a mailbox', { mailboxId }],
    ['an error', { errorCode: 'MESSAGE_REFUSED' }],
    ['campaign emails', { kind: 'CAMPAIGN' }],
    ['transactional', { kind: 'TRANSACTIONAL' }],
    ['a day', { fromDate: date, untilDate: date }],
  ]
  const pairs = single.flatMap(([one, filter], index) =>
    single
      .slice(index + 1)
      .map(([other, more]): [string, OutboxFilter] => [`${one} and ${other}`, { ...filter, ...more }]),
  )
  return [['everything', {}] as [string, OutboxFilter], ...single, ...pairs].map(([name, filter]) => ({ name, filter }))
}

type Measured = { what: 'list' | 'count'; name: string; ms: number[] }

/** A list for each tab; the counts of all tabs are one answer. */
async function measure(
  pool: pg.Pool,
  workspaceId: string,
  filters: ReturnType<typeof filtersOf>,
  what: Measured['what'],
): Promise<Measured[]> {
  const asked = filters.flatMap(({ name, filter }): { name: string; ask: () => Promise<unknown> }[] =>
    what === 'count'
      ? [{ name, ask: () => countOutbox(pool, workspaceId, filter) }]
      : QUEUE_PART_NAMES.map((part) => ({
          name: `${part}, ${name}`,
          ask: () => listOutbox(pool, workspaceId, { ...filter, part }, { limit: 100 }),
        })),
  )
  const measured: Measured[] = []
  for (const { name, ask } of asked) {
    const ms: number[] = []
    for (let time = 0; time < TIMES; time += 1) {
      const started = performance.now()
      await ask()
      ms.push(performance.now() - started)
    }
    measured.push({ what, name, ms })
  }
  return measured
}
