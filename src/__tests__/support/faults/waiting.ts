import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { heldOpen } from '#tests/support/server/database.ts'
import type { Provider } from './provider.ts'
import type { Worker } from './worker.ts'

export type Held = { SENDING: number; MARKED: number }

/** What this worker holds just now, at one of its mailboxes or at all. */
export async function inHandsOf(pool: pg.Pool, worker: Worker, mailboxId?: string): Promise<Held> {
  const { rows } = await pool.query<Held>(
    `SELECT count(*) FILTER (WHERE marked_token IS DISTINCT FROM lease_token)::int AS "SENDING",
       count(*) FILTER (WHERE marked_token = lease_token)::int AS "MARKED"
     FROM scheduled_emails WHERE status = 'SENDING' AND leased_by LIKE $1 AND ($2::uuid IS NULL OR mailbox_id = $2)`,
    [worker.name, mailboxId ?? null],
  )
  return rows[0] ?? { SENDING: 0, MARKED: 0 }
}

/** Until it is released, no attempt can be written down: what a provider accepts stays unsettled. */
export async function holdSettlements(pool: pg.Pool): Promise<() => Promise<void>> {
  const held = await heldOpen(pool, (tx) => tx.query('LOCK TABLE email_attempts IN SHARE MODE'))
  return () => held.commit()
}

/** Asks again and again until the answer is there; a wait in vain says for what. */
export async function until<T>(
  what: string | (() => string),
  ask: () => Promise<T | undefined | false>,
  // Only to end in vain: on a machine with four times the work that it has cores, a worker takes half a minute to begin.
  msMax = 180_000,
): Promise<T> {
  const started = performance.now()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (performance.now() - started > msMax)
      throw new Error(`waited ${msMax / 1000} s in vain until ${typeof what === 'string' ? what : what()}`)
    await sleep(10)
  }
}

const STANDSTILL_MS = 1_000

/**
 * Until nothing is left, where what was lost waits for the end of its lease: `letTimePass` once nothing has gone on for a
 * while, each time a longer one. Time that always ran ahead of the work would take every lease of a busy machine.
 */
export async function untilNoneIsLeft(
  what: string,
  left: () => Promise<number>,
  letTimePass: () => Promise<unknown>,
): Promise<void> {
  let least = Number.POSITIVE_INFINITY
  let since = performance.now()
  let standstillMs = STANDSTILL_MS
  await until(what, async () => {
    const now = await left()
    if (now === 0) return true
    if (now < least) {
      least = now
      since = performance.now()
    } else if (performance.now() - since > standstillMs) {
      await letTimePass()
      since = performance.now()
      standstillMs *= 2
    }
    await sleep(100)
    return false
  })
}

/** How many emails are where, in flight told apart by the mark. */
export async function countStates(pool: pg.Pool, ...campaignIds: string[]): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ state: string; count: number }>(
    `SELECT CASE WHEN status = 'SENDING' AND marked_token = lease_token THEN 'MARKED' ELSE status::text END AS state, count(*)::int
     FROM scheduled_emails WHERE campaign_id = ANY($1::uuid[]) GROUP BY 1`,
    [campaignIds],
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

/** Until nothing waits and nothing is held. */
export async function untilAtRest(pool: pg.Pool, campaignIds: readonly string[], msMax = 240_000): Promise<void> {
  let states: Record<string, number> | undefined
  await until(
    () => `everything has come to rest (${JSON.stringify(states)})`,
    async () => {
      // A database that is just restarting says nothing.
      states = await countStates(pool, ...campaignIds).catch(() => undefined)
      if (!states) return false
      const { SCHEDULED = 0, RETRY_SCHEDULED = 0, SENDING = 0, MARKED = 0 } = states
      return SCHEDULED + RETRY_SCHEDULED + SENDING + MARKED === 0
    },
    msMax,
  )
}

/** Until the provider has seen something that it had not when this was asked. */
export async function untilSendingGoesOn(provider: Provider): Promise<void> {
  const seen = provider.ledger().length
  await until('sending goes on', async () => provider.ledger().length > seen)
}
