import type pg from 'pg'
import { Problem } from '#cli/problem.ts'
import { claimNext } from '#lib/email-scheduler/send/claim.ts'
import { release } from '#lib/email-scheduler/send/release.ts'
import { createPool, inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { print, quantile, ROUNDS, verdictAtMost } from '../rounds.ts'
import { type BenchServer, startBenchServer } from '../server.ts'
import { fillQueue, type Queue } from './queue.ts'

const FEW = 100_000
const CLAIMABLE = 5_000
const CLAIMED_AT_ONCE = 24
const CLAIMS_PER_ROUND = 150
const ROWS_PER_INSERT = 500_000

/** How long a claim takes in a long queue, a tenth of which is due and may not go, beside the same in a short one. */
export async function benchClaims(args: string[]): Promise<void> {
  const rows = Number(args[0] ?? 10_000_000)
  if (!Number.isInteger(rows) || rows < FEW)
    throw new Problem(`Say how many emails, at least ${FEW}: npm run bench -- claims 10000000`)
  const server = await startBenchServer()
  const pools: pg.Pool[] = []
  try {
    const latencies = new Map<number, number[]>()
    for (const count of [FEW, rows]) pools.push(await longQueue(server, count))
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, count] of [FEW, rows].entries()) {
        const pool = pools[index]
        if (pool) latencies.set(count, [...(latencies.get(count) ?? []), ...(await claimAndGiveBack(pool))])
      }
    }
    print(`\nClaims of ${CLAIMED_AT_ONCE}, each given back, ${ROUNDS * CLAIMS_PER_ROUND} in each queue:`)
    for (const [count, ms] of latencies)
      print(
        `  of ${count.toLocaleString('en').padStart(10)}: p50 ${quantile(ms, 0.5).toFixed(2)} ms, p99 ${quantile(ms, 0.99).toFixed(2)} ms`,
      )
    const p99 = (count: number) => quantile(latencies.get(count) ?? [], 0.99)
    verdictAtMost('p99 of the long queue beside the short one', p99(rows) / p99(FEW), 2)
  } finally {
    for (const pool of pools) await pool.end()
    await server.stop()
  }
}

/** A worker's own statement, on one connection; what is measured is the claim alone. */
async function claimAndGiveBack(pool: pg.Pool): Promise<number[]> {
  const latencies: number[] = []
  while (latencies.length < CLAIMS_PER_ROUND) {
    const started = performance.now()
    const claim = await claimNext(pool, { worker: 'bench', leaseMs: 120_000 }, CLAIMED_AT_ONCE)
    latencies.push(performance.now() - started)
    if (claim.kind !== 'claimed' || claim.emails.length !== CLAIMED_AT_ONCE)
      throw new Error(`a claim answered ${claim.kind} where enough was due`)
    const given = claim.emails.map((email) => ({
      ...email,
      code: 'out-of-time' as const,
      to: { kind: 'as-it-was' } as const,
    }))
    await inTransaction(pool, (tx) => release(tx, given))
  }
  return latencies
}

/** Filled by SQL, on a database of its own. */
export async function longQueue(
  server: BenchServer,
  rows: number,
  places = { mailboxes: 10, campaigns: 4 },
): Promise<pg.Pool> {
  const started = performance.now()
  // Filling and counting ten million takes longer than the product lets a statement take.
  const pool = createPool(await server.newDatabase(`claims_${newId().replaceAll('-', '')}`, true), 2, {
    silenceMsMax: 0,
  })
  const queue = await fillQueue(pool, { emails: CLAIMABLE, ...places })
  const pausedId = await pausedCampaign(pool, queue)
  for (let done = CLAIMABLE; done < rows; done += ROWS_PER_INSERT)
    await fillUp(pool, queue, pausedId, Math.min(ROWS_PER_INSERT, rows - done))
  await pool.query('VACUUM ANALYZE scheduled_emails')
  const seconds = Math.round((performance.now() - started) / 1000)
  print(`a queue of ${rows.toLocaleString('en')} emails was filled in ${seconds} s`)
  return pool
}

async function pausedCampaign(pool: pg.Pool, { campaignIds }: Queue): Promise<string> {
  const id = newId()
  await pool.query(
    `INSERT INTO campaigns (id, workspace_id, sequence_id, name, status, updated_at)
     SELECT $1, workspace_id, sequence_id, 'Paused', 'PAUSED', app_now() FROM campaigns WHERE id = $2`,
    [id, campaignIds[0]],
  )
  return id
}

/**
 * Of twenty emails one is due in a paused campaign, one was due and is parked, two were sent, and sixteen are to come: in all
 * campaigns and mailboxes. Their people and enrolments are not there, and no claim asks for them: so the keys to them are
 * not checked, or filling alone would take an hour.
 */
async function fillUp(pool: pg.Pool, queue: Queue, pausedId: string, count: number): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica')
    await tx.query(
      `INSERT INTO scheduled_emails (id, workspace_id, campaign_id, campaign_prospect_id, prospect_id, sequence_id, step_number, mailbox_id,
         idempotency_key, status, scheduled_for, local_date, ready_at, blocker, lease_token, marked_token, accepted_token,
         submit_started_at, sent_at, attempts, updated_at)
       SELECT uuidv7(), $1, CASE WHEN share = 0 THEN $2 ELSE ($3::uuid[])[n % cardinality($3::uuid[]) + 1] END,
         uuidv7(), person, sequence.id, 1, ($4::uuid[])[n / 7 % cardinality($4::uuid[]) + 1],
         person || ':' || sequence.id || ':1', (CASE WHEN is_sent THEN 'SENT' ELSE 'SCHEDULED' END)::scheduled_email_status,
         at, at::date, CASE WHEN NOT is_sent AND share <> 1 THEN at END, CASE WHEN share = 1 THEN 'fields-complete' END,
         is_sent::int, CASE WHEN is_sent THEN 1 END, CASE WHEN is_sent THEN 1 END,
         CASE WHEN is_sent THEN at END, CASE WHEN is_sent THEN at END, is_sent::int, app_now()
       FROM (
         SELECT n, n % 20 AS share, n % 20 IN (2, 3) AS is_sent, uuidv7() AS person,
           app_now() + CASE WHEN n % 20 > 3 THEN 1 + n % 2000000 ELSE -100000 - n % 2000000 END * interval '1 second' AS at
         FROM generate_series(1, $5::int) n
       ) numbered, (SELECT sequence_id AS id FROM campaigns WHERE id = $2) sequence`,
      [queue.workspaceId, pausedId, queue.campaignIds, queue.mailboxIds, count],
    )
  })
}
