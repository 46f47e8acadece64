import { readDeadLetters } from '#lib/dispatch/dead-letters.ts'
import { readHold } from '#lib/email-scheduler/send/hold.ts'
import type { Sql } from '#lib/platform/database.ts'
import { readLastTick } from '#lib/worker/heartbeat.ts'
import { actionMetrics } from './action-metrics.ts'
import type { Metric, Sample } from './metric.ts'

/** A queue that is deeper says so: exact numbers beyond it would cost more than they tell. */
const COUNTED_MAX = 100_000

/** The state of the whole installation, as Prometheus reads it. All are gauges: what is, not what was. */
export async function readMetrics(sql: Sql): Promise<string> {
  const [{ ageSeconds }, { isHeld }] = [await readLastTick(sql), await readHold(sql)]
  const due = await readDue(sql)
  const metrics: Metric[] = [
    {
      name: 'sendonce_emails',
      help: `Emails by state, counted up to ${COUNTED_MAX} each.`,
      samples: (await countByStatus(sql)).map(({ status, count }) => ({ labels: { status }, value: count })),
    },
    {
      name: 'sendonce_due_emails',
      help: `Emails of running campaigns, and transactional ones, whose time has come, counted up to ${COUNTED_MAX}.`,
      samples: [{ value: due.count }],
    },
    {
      name: 'sendonce_oldest_due_seconds',
      help: 'For how long the oldest of these has been due.',
      samples: [{ value: due.oldestSeconds }],
    },
    ...(await actionMetrics(sql)),
    {
      name: 'sendonce_due_retries',
      help: `Of these, the ones that have failed before, counted up to ${COUNTED_MAX}.`,
      samples: [{ value: due.retries }],
    },
    {
      name: 'sendonce_dead_letters',
      help: 'Messages that the broker has put aside since the beginning, by reason; absent where there were none.',
      samples: (await readDeadLetters(sql)).map(({ reason, count }) => ({ labels: { reason }, value: count })),
    },
    {
      name: 'sendonce_mailboxes',
      help: 'Mailboxes by state; those that are connected and pause for a while are in "pausing".',
      samples: (await countMailboxes(sql)).map(({ state, count }) => ({ labels: { state }, value: count })),
    },
    {
      name: 'sendonce_webhooks',
      help: 'Webhooks by state.',
      samples: (await countWebhooks(sql)).map(({ state, count }) => ({ labels: { state }, value: count })),
    },
    {
      name: 'sendonce_webhook_deliveries',
      help: `Deliveries of webhooks that have not arrived, counted up to ${COUNTED_MAX} each.`,
      samples: (await countDeliveries(sql)).map(({ state, count }) => ({ labels: { state }, value: count })),
    },
    {
      name: 'sendonce_oldest_webhook_delivery_seconds',
      help: 'For how long the oldest delivery of an enabled webhook has been due.',
      samples: [{ value: await readOldestDelivery(sql) }],
    },
    {
      name: 'sendonce_sending_held',
      help: '1 while nothing is sent because the database may have forgotten something, or a person holds it.',
      samples: [{ value: isHeld ? 1 : 0 }],
    },
    {
      name: 'sendonce_last_tick_age_seconds',
      help: 'How long ago the last tick began; absent before the first.',
      samples: ageSeconds === null ? [] : [{ value: ageSeconds }],
    },
    {
      name: 'sendonce_last_tick',
      help: 'What the last finished tick of each worker did, as the cron endpoint answered.',
      samples: await readTicks(sql),
    },
  ]
  return metrics.map(written).join('')
}

function written({ name, help, samples }: Metric): string {
  const lines = samples.map(({ labels = {}, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
    return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

async function countByStatus(sql: Sql): Promise<{ status: string; count: number }[]> {
  const { rows } = await sql.query<{ status: string; count: number }>(
    `SELECT s.status::text, n.count FROM unnest('{SCHEDULED,RETRY_SCHEDULED,SENDING}'::scheduled_email_status[]) AS s(status)
     CROSS JOIN LATERAL (SELECT count(*)::int FROM (
       SELECT FROM campaigns c CROSS JOIN LATERAL (SELECT FROM scheduled_emails e WHERE e.campaign_id = c.id AND e.status = s.status LIMIT $1) e
       UNION ALL
       SELECT FROM workspaces w CROSS JOIN LATERAL (
         SELECT FROM scheduled_emails e WHERE e.workspace_id = w.id AND e.kind = 'TRANSACTIONAL' AND e.status = s.status LIMIT $1) e
       LIMIT $1) n) n
     UNION ALL
     SELECT 'OUTCOME_UNKNOWN', (SELECT count(*)::int FROM (
       SELECT FROM scheduled_emails WHERE status = 'OUTCOME_UNKNOWN' AND dismissed_at IS NULL LIMIT $1) n)
     UNION ALL
     SELECT 'PERMANENTLY_FAILED', (SELECT count(*)::int FROM (
       SELECT FROM scheduled_emails WHERE status = 'PERMANENTLY_FAILED' AND dismissed_at IS NULL LIMIT $1) n)`,
    [COUNTED_MAX],
  )
  return rows
}

async function readDue(sql: Sql): Promise<{ count: number; retries: number; oldestSeconds: number }> {
  const { rows } = await sql.query<{ count: number; retries: number; oldestSeconds: number }>(
    `SELECT count(*)::int AS count, count(*) FILTER (WHERE status = 'RETRY_SCHEDULED')::int AS retries, coalesce(extract(epoch FROM app_now() - min(ready_at)), 0)::float8 AS "oldestSeconds" FROM (
       SELECT e.ready_at, e.status FROM mailboxes m JOIN campaigns c ON c.workspace_id = m.workspace_id AND c.status = 'RUNNING'
       CROSS JOIN LATERAL (
         SELECT ready_at, status FROM scheduled_emails WHERE mailbox_id = m.id AND campaign_id = c.id
           AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at <= app_now() ORDER BY ready_at LIMIT $1) e
       UNION ALL
       SELECT e.ready_at, e.status FROM mailboxes m CROSS JOIN LATERAL (
         SELECT ready_at, status FROM scheduled_emails WHERE mailbox_id = m.id AND campaign_id IS NULL
           AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at <= app_now() ORDER BY ready_at LIMIT $1) e
       LIMIT $1) due`,
    [COUNTED_MAX],
  )
  return rows[0] ?? { count: 0, retries: 0, oldestSeconds: 0 }
}

async function countMailboxes(sql: Sql): Promise<{ state: string; count: number }[]> {
  const { rows } = await sql.query<{ state: string; count: number }>(
    `SELECT CASE WHEN status = 'CONNECTED' AND greatest(deferred_until, fault_until) > app_now() THEN 'pausing' ELSE lower(status::text) END AS state,
       count(*)::int AS count FROM mailboxes GROUP BY 1 ORDER BY 1`,
  )
  return rows
}

async function countWebhooks(sql: Sql): Promise<{ state: string; count: number }[]> {
  const { rows } = await sql.query<{ state: string; count: number }>(
    `SELECT lower(s.status::text) AS state, count(e.id)::int AS count FROM unnest(enum_range(NULL::webhook_status)) AS s(status)
     LEFT JOIN webhook_endpoints e ON e.status = s.status AND e.removed_at IS NULL GROUP BY s.status ORDER BY s.status`,
  )
  return rows
}

/** Webhook by webhook, from the index of each. */
async function countDeliveries(sql: Sql): Promise<{ state: string; count: number }[]> {
  const { rows } = await sql.query<{ state: string; count: number }>(
    `SELECT lower(s.state::text) AS state, (SELECT count(*)::int FROM (
       SELECT FROM webhook_endpoints e CROSS JOIN LATERAL (
         SELECT FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = s.state LIMIT $1) d
       WHERE e.removed_at IS NULL LIMIT $1) n) AS count
     FROM unnest('{WAITING,FAILED}'::webhook_delivery_state[]) AS s(state)`,
    [COUNTED_MAX],
  )
  return rows
}

async function readOldestDelivery(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ seconds: number }>(
    `SELECT coalesce(extract(epoch FROM app_now() - min(d.due_at)), 0)::float8 AS seconds
     FROM webhook_endpoints e CROSS JOIN LATERAL (
       SELECT due_at FROM webhook_deliveries WHERE endpoint_id = e.id AND state = 'WAITING' AND due_at <= app_now()
       ORDER BY due_at LIMIT 1) d
     WHERE e.status = 'ENABLED' AND e.removed_at IS NULL`,
  )
  return rows[0]?.seconds ?? 0
}

async function readTicks(sql: Sql): Promise<Sample[]> {
  const { rows } = await sql.query<{ worker: string; what: string; value: number }>(
    `SELECT t.worker, s.key AS what, s.value::text::float8 AS value FROM worker_ticks t CROSS JOIN LATERAL jsonb_each(t.summary) s
     WHERE t.summary IS NOT NULL AND jsonb_typeof(s.value) = 'number' ORDER BY 1, 2`,
  )
  return rows.map(({ worker, what, value }) => ({ labels: { worker, what }, value }))
}
