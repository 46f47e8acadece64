import type pg from 'pg'
import { appendEvents, type NewEvent } from '#lib/events/append-events.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { eventKeyOf } from './record-hit.ts'

/** A reader who follows two links within a second reads neither. */
const BURST_MS = 1_000
/** Scanners look at a mail as it arrives; a person finds it first. */
const ARRIVAL_MS = 10_000
/** So long after the last hit on an email, whatever belongs to the same burst has come. */
const SETTLED = `interval '3 seconds'`
/** However it goes on. */
const SETTLED_AT_LAST = `interval '1 minute'`
const EMAILS_AT_ONCE = 200

/** Emails whose hits can be judged now. */
export const JUDGEABLE_HITS = `SELECT FROM tracking_hits WHERE hit_at <= app_now() - ${SETTLED}`

type Hit = { emailId: string; link: number; target: string | null; at: Date }

/** What has to be known of an email to judge who looked at it. */
export type TrackedEmail = {
  emailId: string
  workspaceId: string
  prospectId: string
  campaignId: string
  sequenceId: string
  stepNumber: number
  handedOverAt: Date | null
  /** Switched off since: then nothing is told of what was sent before, either. */
  opens: boolean
  clicks: boolean
}

/** Those that may be told of; their people are held until the transaction ends. Handed in, since emails come after this folder. */
export type ReadTracked = (tx: Sql, emailIds: readonly string[]) => Promise<TrackedEmail[]>

/** Makes events of the hits that were a person's, and forgets those of machines. Answers how many events there are. */
export async function judgeHits(pool: pg.Pool, readTracked: ReadTracked): Promise<number> {
  let told = 0
  for (;;) {
    const { judged, events } = await inTransaction(pool, (tx) => judgeSome(tx, readTracked))
    told += events
    if (judged < EMAILS_AT_ONCE) return told
  }
}

async function judgeSome(tx: Sql, readTracked: ReadTracked): Promise<{ judged: number; events: number }> {
  const hits = await takeHits(tx)
  const ofEmail = Map.groupBy(hits, ({ emailId }) => emailId)
  const emails = ofEmail.size > 0 ? await readTracked(tx, [...ofEmail.keys()]) : []
  const events = emails.flatMap((email): NewEvent[] => {
    const { handedOverAt, opens, clicks, ...its } = email
    return peoples(ofEmail.get(email.emailId) ?? [], handedOverAt)
      .filter(({ link }) => (link === 0 ? opens : clicks))
      .map(({ link, target, at }) => ({
        ...{ ...its, type: link === 0 ? 'OPENED' : 'CLICKED', occurredAt: at },
        dedupeKey: eventKeyOf({ emailId: email.emailId, link }),
        ...(target !== null && { data: { url: target } }),
      }))
  })
  return { judged: ofEmail.size, events: (await appendEvents(tx, events)).length }
}

/** All hits of an email together: one of a burst must not be judged without the others. */
async function takeHits(tx: Sql): Promise<Hit[]> {
  const { rows } = await tx.query<Hit & { lastAt: Date }>(
    `WITH settled AS MATERIALIZED (
       SELECT email_id FROM (SELECT DISTINCT email_id FROM tracking_hits WHERE hit_at <= app_now() - ${SETTLED} LIMIT ${EMAILS_AT_ONCE}) few
       WHERE NOT EXISTS (SELECT FROM tracking_hits h WHERE h.email_id = few.email_id AND h.last_hit_at > app_now() - ${SETTLED})
         OR EXISTS (SELECT FROM tracking_hits h WHERE h.email_id = few.email_id AND h.hit_at <= app_now() - ${SETTLED_AT_LAST})
     ), taken AS MATERIALIZED (
       SELECT email_id, link FROM tracking_hits WHERE email_id IN (SELECT email_id FROM settled)
       ORDER BY email_id, link FOR UPDATE SKIP LOCKED)
     DELETE FROM tracking_hits h USING taken WHERE h.email_id = taken.email_id AND h.link = taken.link
     RETURNING h.email_id AS "emailId", h.link, h.target, h.hit_at AS at, h.last_hit_at AS "lastAt"`,
  )
  return rows.flatMap(({ lastAt, ...first }) => (lastAt > first.at ? [first, { ...first, at: lastAt }] : [first]))
}

/** Of the looks at one email, those that were a person's as far as can be told; the first of each link. */
export function peoples<H extends Pick<Hit, 'link' | 'at'>>(looks: readonly H[], handedOverAt: Date | null): H[] {
  if (handedOverAt === null) return []
  const isNear = (one: H, other: H) => Math.abs(one.at.getTime() - other.at.getTime()) <= BURST_MS
  const bursts = looks.filter(
    (one) => one.link > 0 && looks.some((other) => other.link > 0 && other.link !== one.link && isNear(one, other)),
  )
  // What follows link after link has loaded the picture as well.
  const slow = looks.filter((one) => !bursts.some((other) => isNear(one, other)))
  const found = slow
    .filter(({ at }) => at.getTime() - handedOverAt.getTime() > ARRIVAL_MS)
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
  return found.filter((one, index) => found.findIndex(({ link }) => link === one.link) === index)
}
