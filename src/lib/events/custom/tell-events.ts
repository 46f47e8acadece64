import { createHash, randomUUID } from 'node:crypto'
import type { HashAddress } from '#lib/audience/address-hash.ts'
import { type Named, whoAre } from '#lib/audience/who-is.ts'
import { appendEvents } from '#lib/events/append-events.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'

export type CustomEvent = Named & {
  name: string
  /** When it happened; now, where nothing is said. */
  occurredAt?: Date | undefined
  data?: Record<string, string | number | boolean | null> | undefined
}

export type ToldEvent = {
  id: string
  prospectId: string
  name: string
  occurredAt: Date
  recordedAt: Date
  data: Record<string, unknown>
  /** The key had been used for the same event before, and nothing was written. */
  wasThere: boolean
}

export type Told = { kind: 'event'; event: ToldEvent } | { kind: 'refused'; error: PublicError }

type Telling = {
  workspaceId: string
  /** The caller's Idempotency-Key, which names its events for ever. Without one, each is another. */
  key: string | undefined
  /** Its events have a key each, made of the caller's and their place. */
  isBatch: boolean
  events: readonly CustomEvent[]
}

/** Clocks of others go ahead of ours a little. */
const AHEAD_MS_MAX = 5 * 60_000

/** Writes down what a program tells of people. What one of them is refused for stands in its own answer. */
export async function tellEvents(tx: Sql, hash: HashAddress, telling: Telling): Promise<Told[]> {
  const { workspaceId, events } = telling
  const now = await appNow(tx)
  const people = await whoAre(tx, workspaceId, hash, events)
  const keyed = events.map((event, index) => ({
    ...{ event, dedupeKey: keyOf(telling, index), prospectId: people[index] },
    isAhead: (event.occurredAt?.getTime() ?? 0) > now.getTime() + AHEAD_MS_MAX,
  }))
  const appended = await appendEvents(
    tx,
    keyed.flatMap(({ event: { name, occurredAt, data }, dedupeKey, prospectId, isAhead }) =>
      prospectId === undefined || isAhead
        ? []
        : [
            {
              ...{ workspaceId, prospectId, type: 'CUSTOM' as const, name, dedupeKey, data },
              occurredAt: occurredAt && occurredAt < now ? occurredAt : now,
            },
          ],
    ),
  )
  const isNew = new Set(appended.map(({ dedupeKey }) => dedupeKey))
  // Also of what would be refused today: a program that asks again hears what became of the first.
  const kept = await readKept(
    tx,
    workspaceId,
    keyed.map(({ dedupeKey }) => dedupeKey),
  )
  const whose = await whoAre(tx, workspaceId, hash, kept)
  const found = new Map(kept.map((one, index) => [one.dedupeKey, { ...one, person: whose[index] }]))
  return keyed.map(({ event, dedupeKey, prospectId, isAhead }): Told => {
    const before = found.get(dedupeKey)
    if (before) {
      const { dedupeKey: _, person, ...one } = before
      // Of an erased person nothing is left to compare with: the key alone says which event is meant.
      const isSame = person === prospectId && (person === undefined || one.name === event.name)
      return isSame
        ? { kind: 'event', event: { ...one, wasThere: !isNew.has(dedupeKey) } }
        : { kind: 'refused', error: keyReused() }
    }
    return { kind: 'refused', error: isAhead ? notYet() : nobody() }
  })
}

/** No caller's key holds a space, so no event of a batch can have the key of another request. */
function keyOf({ workspaceId, key, isBatch }: Telling, index: number): string {
  const own = key === undefined ? randomUUID() : isBatch ? `${key} ${index}` : key
  return `custom:${createHash('sha256').update(`${workspaceId}\0${own}`).digest('hex')}`
}

type Kept = Omit<ToldEvent, 'wasThere'> & { dedupeKey: string }

async function readKept(tx: Sql, workspaceId: string, dedupeKeys: readonly string[]): Promise<Kept[]> {
  const { rows } = await tx.query<Kept>(
    `SELECT dedupe_key AS "dedupeKey", id::text, prospect_id AS "prospectId", name, occurred_at AS "occurredAt",
       recorded_at AS "recordedAt", data
     FROM person_events WHERE workspace_id = $1 AND dedupe_key = ANY($2::text[])`,
    [workspaceId, dedupeKeys],
  )
  return rows
}

const nobody = () =>
  new PublicError(404, 'no-such-person', 'There is no such person in the workspace, or their data was erased.')

const notYet = () =>
  new PublicError(400, 'not-yet', 'An event is told once it has happened: occurredAt lies in the future.')

const keyReused = () =>
  new PublicError(
    409,
    'key-reused',
    'This Idempotency-Key was used for another event. Use a new key for each event that you tell of.',
  )
