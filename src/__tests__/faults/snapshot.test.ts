import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { liftHold, readHold } from '#lib/email-scheduler/send/hold.ts'
import { cancel } from '#lib/email-scheduler/verbs/cancel.ts'
import { createPool, inTransaction } from '#lib/platform/database.ts'
import { Cluster } from '#tests/support/faults/faults-cluster.ts'
import { report, scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending, type SendingPlace } from '#tests/support/faults/sending-place.ts'
import { countStates, inHandsOf, until } from '#tests/support/faults/waiting.ts'
import { Worker } from '#tests/support/faults/worker.ts'

const ROUNDS = scale({ short: 1, full: 8 })
const EMAILS = scale({ short: 24, full: 80 })
const CONNECTIONS = 4

let cluster: Cluster
let pool: pg.Pool
const provider = testProvider({ dot: { delayMs: 300 } })
beforeAll(async () => {
  cluster = await Cluster.start()
  pool = createPool(cluster.url, 4)
})
afterAll(async () => {
  await pool?.end()
  await cluster?.stop()
})

type Row = { id: string; to: string; status: string; isInDoubt: boolean }

test('a snapshot put back under a worker with emails in flight: what it knows of is sent, a person hears of all the rest, and nothing goes twice', async () => {
  const figures = { rounds: 0, forgotten: 0, remembered: 0, sent: 0, unknown: 0, cancelled: 0 }
  const before = provider.ledger().length
  for (let round = 0; round < ROUNDS; round += 1) {
    const [one, two] = [
      await makeSending(pool, provider.port, { prospects: EMAILS }),
      await makeSending(pool, provider.port, { prospects: EMAILS }),
    ]
    const campaignIds = [one.campaignId, two.campaignId]
    await setStatus(two, 'PAUSED')
    const worker = new Worker(cluster.url, { connections: CONNECTIONS })
    try {
      await untilAccepted([one.campaignId], CONNECTIONS, worker)
      await cluster.snapshot()
      await untilAccepted([one.campaignId], EMAILS, worker)
      await setStatus(two, 'RUNNING')
      await untilAccepted([two.campaignId], EMAILS / 2, worker)
      await until('something is in flight', async () => (await inHandsOf(pool, worker)).MARKED > 1)
      const seen = await acceptedTo(campaignIds)
      await cluster.goBack()

      await until(
        () => `the worker has noticed:\n${worker.log.slice(-3_000)}`,
        async () => (await readHold(pool).catch(() => undefined))?.reason === 'WENT_BACK',
      )
      await untilNothingIsHeld(campaignIds, worker)
      const accepted = await acceptedTo(campaignIds)
      const rows = await rowsOf(campaignIds)
      const wentTo = new Set(accepted)
      expect(accepted).toHaveLength(wentTo.size)
      // Whatever went out is either known to have, or named to a person before anything more is sent.
      expect(rows.filter((row) => wentTo.has(row.to) && !isKnown(row) && !row.isInDoubt)).toEqual([])
      // What was in flight when the database went back is remembered by the worker alone.
      const inFlight = accepted.filter((to) => !seen.includes(to))
      expect(rows.filter((row) => inFlight.includes(row.to) && !isKnown(row))).toEqual([])

      // The person looks into the Sent folder, which is the ledger, and cancels what is there.
      const forgotten = rows.filter((row) => wentTo.has(row.to) && !isKnown(row)).map(({ id }) => id)
      for (const { workspaceId } of [one, two]) await inTransaction(pool, (tx) => cancel(tx, workspaceId, forgotten))
      await setStatus(two, 'RUNNING')
      await liftHold(pool, 'olga')
      await until(
        () => `everything has come to rest:\n${worker.log.slice(-3_000)}`,
        async () => {
          const { SCHEDULED = 0, SENDING = 0, MARKED = 0 } = await countStates(pool, ...campaignIds)
          return SCHEDULED + SENDING + MARKED === 0
        },
      )
      const inTheEnd = await acceptedTo(campaignIds)
      expect(inTheEnd).toHaveLength(new Set(inTheEnd).size)
      const states = await countStates(pool, ...campaignIds)
      expect((states.SENT ?? 0) + (states.OUTCOME_UNKNOWN ?? 0) + forgotten.length).toBe(2 * EMAILS)
      expect(forgotten.length).toBeGreaterThan(0)
      figures.rounds += 1
      figures.forgotten += forgotten.length
      figures.remembered += inFlight.length
      figures.sent += states.SENT ?? 0
      figures.unknown += states.OUTCOME_UNKNOWN ?? 0
      figures.cancelled += states.CANCELLED ?? 0
      expect(await worker.stop()).toBe(0)
    } finally {
      await worker.kill()
    }
  }
  const accepted = provider
    .ledger()
    .slice(before)
    .filter(({ event }) => event === 'accepted').length
  const none = { doubles: 0, failed: 0, waiting: 0, wrong: [] }
  report('a snapshot put back under a worker', { ...figures, emails: 2 * EMAILS * ROUNDS, accepted, ...none })
})

test('a snapshot put back while no worker lives: the next one on this machine sends nothing, nor does one elsewhere after it', async () => {
  const before = provider.ledger().length
  const { campaignId } = await makeSending(pool, provider.port, { prospects: EMAILS })
  const here = await mkdtemp(join(tmpdir(), 'sendonce-witness-'))
  const start = (witnessFolder?: string) => new Worker(cluster.url, { connections: CONNECTIONS, witnessFolder })
  const workers: Worker[] = []
  try {
    const first = start(here)
    workers.push(first)
    await untilAccepted([campaignId], CONNECTIONS, first)
    expect(await first.stop()).toBe(0)
    await cluster.snapshot()
    const second = start(here)
    workers.push(second)
    await untilAccepted([campaignId], EMAILS, second)
    // It is not stopped in good order: all but its last seconds is written down.
    await until('everything is sent', async () => (await countStates(pool, campaignId)).SENT === EMAILS)
    await untilTicksBegin(1)
    await second.kill()
    await cluster.goBack()

    const third = start(here)
    workers.push(third)
    await until(
      () => `the worker has noticed:\n${third.log.slice(-3_000)}`,
      async () => (await readHold(pool).catch(() => undefined))?.reason === 'WENT_BACK',
    )
    const elsewhere = start()
    workers.push(elsewhere)
    await untilTicksBegin(3)
    const accepted = await acceptedTo([campaignId])
    expect(accepted).toHaveLength(EMAILS)
    const forgotten = (await rowsOf([campaignId])).filter((row) => !isKnown(row))
    expect(forgotten.length).toBeGreaterThan(0)
    expect(forgotten.filter(({ isInDoubt }) => !isInDoubt)).toEqual([])
    const none = { doubles: 0, failed: 0, cancelled: 0, waiting: 0, wrong: [] }
    const figures = { emails: EMAILS, accepted: provider.ledger().length - before, forgotten: forgotten.length }
    report('a snapshot put back while no worker lived', { ...figures, sent: EMAILS, unknown: 0, ...none })
  } finally {
    for (const worker of workers) await worker.kill()
    await rm(here, { recursive: true, force: true })
  }
})

const isKnown = ({ status }: Row) => status === 'SENT' || status === 'OUTCOME_UNKNOWN'

async function setStatus({ campaignId }: SendingPlace, status: 'PAUSED' | 'RUNNING'): Promise<void> {
  await pool.query(`UPDATE campaigns SET status = $2::campaign_status WHERE id = $1 AND status <> 'SENT'`, [
    campaignId,
    status,
  ])
}

async function untilAccepted(campaignIds: readonly string[], count: number, worker: Worker): Promise<void> {
  await until(
    () => `${count} have been accepted:\n${worker.log.slice(-3_000)}`,
    async () => (await acceptedTo(campaignIds)).length >= count,
  )
}

/** One for each acceptance. */
async function acceptedTo(campaignIds: readonly string[]): Promise<string[]> {
  const addresses = new Set((await rowsOf(campaignIds)).map(({ to }) => to))
  return provider
    .ledger()
    .filter(({ event, to }) => event === 'accepted' && addresses.has(to[0] ?? ''))
    .map(({ to }) => to[0] ?? '')
}

async function rowsOf(campaignIds: readonly string[]): Promise<Row[]> {
  const { rows } = await pool.query<Row>(
    `SELECT e.id, p.email AS "to", e.status::text, EXISTS (
       SELECT FROM emails_in_doubt d JOIN server_sightings s ON s.id = d.sighting_id WHERE d.email_id = e.id AND s.lifted_at IS NULL) AS "isInDoubt"
     FROM scheduled_emails e JOIN prospects p ON p.id = e.prospect_id WHERE e.campaign_id = ANY($1::uuid[])`,
    [campaignIds],
  )
  return rows
}

/** Leases of the snapshot have run out, what was in flight has been settled, and two ticks have handed over nothing. */
async function untilNothingIsHeld(campaignIds: readonly string[], worker: Worker): Promise<void> {
  await until(
    () => `nothing is held:\n${worker.log.slice(-3_000)}`,
    async () => {
      const { SENDING = 0, MARKED = 0 } = await countStates(pool, ...campaignIds)
      return SENDING + MARKED === 0
    },
  )
  await untilTicksBegin(2)
}

async function untilTicksBegin(more: number): Promise<void> {
  const count = async () => {
    const { rows } = await pool.query<{ count: number }>('SELECT last_value::int AS count FROM worker_ticks_number_seq')
    return rows[0]?.count ?? 0
  }
  const before = await count()
  await until(`${more} more ticks have begun`, async () => (await count()) >= before + more)
}
