import { beforeAll, describe, expect, test } from 'vitest'
import { Deadline } from '#lib/mail/deadline.ts'
import { createPool, inTransaction, type Sql } from '#lib/platform/database.ts'
import { claimDeliveries, DUE_WEBHOOKS } from '#lib/webhooks/claim.ts'
import { OLD_WEBHOOKS } from '#lib/webhooks/clean.ts'
import { deliveriesQuery } from '#lib/webhooks/deliveries.ts'
import { DELIVERY_FILTERS } from '#lib/webhooks/states.ts'
import { runTick } from '#lib/worker/tick.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { sendingThrough, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { vacuum } from '#tests/support/server/vacuum.ts'
import { silent } from '#tests/support/silent.ts'
import { keyringOf, makeEvents, makeWebhook, type TestWebhook, testCourier } from '#tests/support/webhooks/telling.ts'

/** A flood at one endpoint costs neither it nor others more than a look into an index. */
const db = testDatabase()
const keyring = keyringOf()
let flooded: TestWebhook
let other: TestWebhook

beforeAll(async () => {
  flooded = await makeWebhook(db.pool, keyring, (await makeWorkspace(db.pool)).workspaceId)
  other = await makeWebhook(db.pool, keyring, (await makeWorkspace(db.pool)).workspaceId)
  await makeEvents(db.pool, flooded, 100_000)
  await makeEvents(db.pool, other, 10)
  await db.pool.query(
    `UPDATE webhook_deliveries SET state = 'DELIVERED', due_at = NULL, ended_at = app_now() WHERE endpoint_id = $1 AND (data->>'number')::int <= 50000`,
    [flooded.id],
  )
  await vacuum(db.pool, 'webhook_deliveries', 'webhook_endpoints')
})

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  Plans?: Plan[]
}

async function planOf(sql: Sql, text: string, values: unknown[] = []): Promise<Plan[]> {
  const { rows } = await sql.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
  const nodes: Plan[] = []
  const visit = (plan: Plan) => {
    nodes.push(plan)
    for (const inner of plan.Plans ?? []) visit(inner)
  }
  const [row] = rows
  if (row) visit(row['QUERY PLAN'][0].Plan)
  return nodes
}

const readOf = (nodes: readonly Plan[]) =>
  nodes
    .filter((node) => node['Relation Name'] === 'webhook_deliveries' && node['Node Type'] !== 'ModifyTable')
    .map((node) => ({ by: node['Node Type'], rows: node['Actual Rows'] * node['Actual Loops'] }))

function expectFew(nodes: readonly Plan[], rowsMax: number): void {
  const read = readOf(nodes)
  expect(read.length).toBeGreaterThan(0)
  for (const { by, rows } of read) {
    expect(by).not.toBe('Seq Scan')
    expect(rows).toBeLessThanOrEqual(rowsMax)
  }
}

describe('among a hundred thousand deliveries', () => {
  test('a claim reads what it takes', async () => {
    let claim: { text: string; values?: unknown[] } | undefined
    const asking = {
      query: async (query: { text: string; values?: unknown[] }) => {
        claim = query
        return { rows: [] }
      },
    }
    await claimDeliveries(asking as unknown as Sql, 64, false)
    await inTransaction(db.pool, async (tx) => {
      expectFew(await planOf(tx, claim?.text ?? '', claim?.values), 20)
      await tx.query('ROLLBACK; BEGIN')
    })
  })

  test.each(DELIVERY_FILTERS)('a page of "%s" reads its rows, also far down', async (show) => {
    expectFew(await planOf(db.pool, deliveriesQuery(show, false), [flooded.id, 51]), 51)
    const { rows } = await db.pool.query<{ seq: string; dueAt: string }>(
      `SELECT seq::text, due_at::text AS "dueAt" FROM webhook_deliveries WHERE endpoint_id = $1 AND state = 'WAITING' ORDER BY seq OFFSET 25000 LIMIT 1`,
      [flooded.id],
    )
    const behind = show === 'waiting' ? [rows[0]?.seq, rows[0]?.dueAt] : [rows[0]?.seq]
    expectFew(await planOf(db.pool, deliveriesQuery(show, true), [flooded.id, 51, ...behind]), 51)
  })

  test('a tick sees with a look that something is due, or old', async () => {
    expectFew(await planOf(db.pool, `SELECT EXISTS (${DUE_WEBHOOKS})`), 2)
    expectFew(await planOf(db.pool, `SELECT EXISTS (${OLD_WEBHOOKS})`), 2)
  })
})

test('a tick with nothing to deliver asks ten questions at most', async () => {
  await db.pool.query('DELETE FROM webhook_deliveries')
  const pool = createPool(db.url, 2)
  const asked: string[] = []
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      asked.push(String(args[0]))
      return query(...args)
    }) as typeof client.query
  })
  const sending = sendingThrough(pool, new TestProvider())
  const tick = () =>
    runTick(pool, 'test', silent, {
      sending,
      webhooks: { courier: testCourier(pool, keyring).courier, time: new Deadline(60_000) },
    })
  await tick()
  asked.length = 0
  await tick()
  await pool.end()
  expect(asked.length).toBeGreaterThan(0)
  expect(asked.length).toBeLessThanOrEqual(10)
})
