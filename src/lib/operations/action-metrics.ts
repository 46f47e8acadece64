import { ACTION_TYPE_NAMES } from '#lib/actions/action-types.ts'
import type { COUNTED } from '#lib/actions/counts.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Metric, Sample } from './metric.ts'

/** A queue that is deeper says so, as that of emails does. */
const COUNTED_MAX = 100_000

type Depth = { type: string; pending: number; overdue: number; lagSeconds: number }

/** What is set for a time besides emails: how much waits, how late it is, and what became of it since the beginning. */
export async function actionMetrics(sql: Sql): Promise<Metric[]> {
  const depth = await readDepth(sql)
  const done = await readDone(sql)
  const byType = (value: (one: Depth) => number): Sample[] =>
    depth.map((one) => ({ labels: { type: one.type }, value: value(one) }))
  const total = (what: (typeof COUNTED)[number]): Sample[] =>
    ACTION_TYPE_NAMES.map((type) => ({
      labels: { type },
      value: done.find((row) => row.type === type && row.what === what)?.count ?? 0,
    }))
  return [
    {
      name: 'sendonce_actions_pending',
      help: `Scheduled actions that wait for their time, by type, counted up to ${COUNTED_MAX} each.`,
      samples: byType(({ pending }) => pending),
    },
    {
      name: 'sendonce_actions_overdue',
      help: `Of these, those whose time has come, counted up to ${COUNTED_MAX} each.`,
      samples: byType(({ overdue }) => overdue),
    },
    {
      name: 'sendonce_actions_lag_seconds',
      help: 'For how long the oldest of these has been due.',
      samples: byType(({ lagSeconds }) => lagSeconds),
    },
    { name: 'sendonce_actions_executed', help: 'Carried out since the beginning.', samples: total('executed') },
    { name: 'sendonce_actions_cancelled', help: 'Cancelled since the beginning.', samples: total('cancelled') },
    {
      name: 'sendonce_actions_deduplicated',
      help: 'Asked for again under a key that was there already, since the beginning: nothing was made.',
      samples: total('deduplicated'),
    },
    {
      name: 'sendonce_actions_failed',
      help: 'Attempts that failed and are tried again, since the beginning.',
      samples: total('failed'),
    },
    {
      name: 'sendonce_actions_dead',
      help: 'Given up until a person decides, since the beginning.',
      samples: total('dead'),
    },
    {
      name: 'sendonce_actions_mended',
      help: 'Found missing by the sweep and set again, since the beginning.',
      samples: total('mended'),
    },
    {
      name: 'sendonce_actions_published',
      help: 'Given to a broker since the beginning, where one stands between finding and doing.',
      samples: total('published'),
    },
    {
      name: 'sendonce_actions_republished',
      help: 'Given to a broker once more by a worker that started, since nobody had taken them, since the beginning.',
      samples: total('republished'),
    },
    {
      name: 'sendonce_actions_recovered',
      help: 'Back in the queue when their leases had run out, since the beginning: a worker or a broker had lost them.',
      samples: total('recovered'),
    },
    {
      name: 'sendonce_actions_late_seconds',
      help: 'How late they were claimed, summed over all that were carried out.',
      samples: total('lateMs').map(({ value, ...sample }) => ({ ...sample, value: value / 1000 })),
    },
  ]
}

async function readDepth(sql: Sql): Promise<Depth[]> {
  const { rows } = await sql.query<Depth>(
    `SELECT t.type::text, n.pending, n.overdue, coalesce(n.lag, 0)::float8 AS "lagSeconds" FROM unnest($1::action_type[]) AS t(type)
     CROSS JOIN LATERAL (SELECT
       (SELECT count(*)::int FROM (SELECT FROM scheduled_actions WHERE type = t.type AND status = 'PENDING' LIMIT $2) p) AS pending,
       (SELECT count(*)::int FROM (SELECT FROM scheduled_actions WHERE type = t.type AND status = 'PENDING' AND due_at <= app_now() LIMIT $2) o) AS overdue,
       (SELECT extract(epoch FROM app_now() - min(due_at)) FROM scheduled_actions WHERE type = t.type AND status = 'PENDING' AND due_at <= app_now()) AS lag) n`,
    [ACTION_TYPE_NAMES, COUNTED_MAX],
  )
  return rows
}

async function readDone(sql: Sql): Promise<{ type: string; what: string; count: number }[]> {
  const { rows } = await sql.query<{ type: string; what: string; count: number }>(
    'SELECT type::text, what, sum(count)::float8 AS count FROM action_counts GROUP BY 1, 2',
  )
  return rows
}
