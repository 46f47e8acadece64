import { PAUSED_BY_A_PERSON } from '#lib/email-scheduler/mailbox-states.ts'
import type { Hold } from '#lib/email-scheduler/send/hold.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { LastTick } from '#lib/worker/heartbeat.ts'
import { INVARIANTS } from '../doctor/invariants.ts'
import { countBroken } from '../promise/read-promise.ts'

/** What waits for a person, the worst kind first. */
export const ATTENTION_KINDS = [
  'promise-broken',
  'sending-held',
  'no-tick',
  'mailbox-stopped',
  'unknown',
  'failed',
  'action-failed',
  'nothing-to-send',
  'people-blocked',
  'domain-unproven',
] as const

export type AttentionKind = (typeof ATTENTION_KINDS)[number]

export type Attention = {
  kind: AttentionKind
  /** What it is about, where it is one thing: a mailbox, a campaign, a domain, or by its name what does not hold. */
  id: string | null
  name: string | null
  /** Of emails, people or actions. */
  count: number | null
  /** Why, in words. */
  sentence: string | null
}

/** More that failed or are unknown than this are not counted to the last one. */
const COUNTED_MAX = 10_000
/** Of one kind; where there are more, the rest is seen where the first ones are cured. */
const LISTED_MAX = 10

const STATEMENTS = {
  /** Of what is set for a time besides emails: nothing happens until a person decides. */
  'action-failed': `SELECT NULL AS id, NULL AS name, failed.count,
      'What they were set for was not done. An admin or an owner decides.' AS sentence FROM (
      SELECT count(*)::int AS count FROM (
        SELECT FROM scheduled_actions WHERE workspace_id = $1 AND status = 'DEAD' LIMIT ${COUNTED_MAX}) a) failed
    WHERE failed.count > 0 LIMIT $2`,
  'mailbox-stopped': `SELECT id, address AS name, NULL::int AS count, stopped_reason AS sentence FROM mailboxes
    WHERE workspace_id = $1 AND status = 'STOPPED' AND stopped_reason IS DISTINCT FROM '${PAUSED_BY_A_PERSON}'
    ORDER BY address LIMIT $2`,
  /** Something of it waits, and none of that can go, whatever the time. */
  'nothing-to-send': `SELECT c.id, c.name, NULL::int AS count, NULL AS sentence FROM campaigns c
    WHERE c.workspace_id = $1 AND c.status = 'RUNNING'
      AND EXISTS (SELECT FROM scheduled_emails e WHERE e.campaign_id = c.id AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED'))
      AND NOT EXISTS (SELECT FROM scheduled_emails e WHERE e.campaign_id = c.id AND e.status = 'SENDING')
      AND NOT EXISTS (SELECT FROM campaign_prospects cp WHERE cp.campaign_id = c.id AND cp.planned_at IS NULL AND cp.state = 'PENDING')
      AND NOT EXISTS (SELECT FROM mailboxes m CROSS JOIN LATERAL (
        SELECT FROM scheduled_emails WHERE mailbox_id = m.id AND campaign_id = c.id
          AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at IS NOT NULL LIMIT 1) e
        WHERE m.workspace_id = $1 AND m.status = 'CONNECTED')
    ORDER BY c.id DESC LIMIT $2`,
  'people-blocked': `SELECT c.id, c.name, people.count, people.sentence FROM campaigns c CROSS JOIN LATERAL (
      SELECT count(*)::int AS count, min(cp.reason) AS sentence FROM campaign_prospects cp
      WHERE cp.campaign_id = c.id AND cp.reason_code = 'missing-fields' AND cp.state = 'BLOCKED') people
    WHERE c.workspace_id = $1 AND c.status <> 'STOPPED' AND c.archived_at IS NULL AND people.count > 0
    ORDER BY people.count DESC, c.id LIMIT $2`,
  'domain-unproven': `SELECT id, domain AS name, NULL::int AS count, findings #>> '{dkim,sentence}' AS sentence FROM sending_domains
    WHERE workspace_id = $1 AND looked_at IS NOT NULL AND verified_at IS NULL ORDER BY domain LIMIT $2`,
} as const satisfies Partial<Record<AttentionKind, string>>

type Found = Omit<Attention, 'kind'>

export async function readAttention(
  sql: Sql,
  workspaceId: string,
  { lastTick, hold }: { lastTick: LastTick; hold: Hold },
): Promise<Attention[]> {
  const kinds = Object.keys(STATEMENTS) as (keyof typeof STATEMENTS)[]
  const [counts, broken, ...listed] = await Promise.all([
    countOpen(sql, workspaceId),
    countBroken(sql, workspaceId),
    ...kinds.map(async (kind) => {
      const { rows } = await sql.query<Found>(STATEMENTS[kind], [workspaceId, LISTED_MAX])
      return rows.map((row) => ({ kind, ...row }))
    }),
  ])
  const alone = { id: null, name: null, count: null, sentence: null }
  const all: Attention[] = [...listed.flat()]
  for (const { name, sentence, holds, cure } of INVARIANTS) {
    const found = broken.find((one) => one.name === name)
    if (!found) continue
    const told =
      found.count > 0 ? { name: sentence, count: found.count } : { name: `No longer so: ${holds}`, count: null }
    all.push({ kind: 'promise-broken', id: name, ...told, sentence: cure })
  }
  if (hold.isHeld) all.push({ ...alone, kind: 'sending-held', sentence: hold.sentence })
  if (!lastTick.ok) all.push({ ...alone, kind: 'no-tick', sentence: lastTick.sentence })
  for (const kind of ['unknown', 'failed'] as const)
    if (counts[kind] > 0) all.push({ ...alone, kind, count: counts[kind] })
  return all.sort((one, other) => ATTENTION_KINDS.indexOf(one.kind) - ATTENTION_KINDS.indexOf(other.kind))
}

/** The rows of the index of what waits for a decision, and the moment by which a list orders them. $1 is the workspace. */
export const OPEN_EMAILS = {
  failed: `SELECT id, updated_at AS at, updated_at AS due FROM scheduled_emails
    WHERE workspace_id = $1 AND status = 'PERMANENTLY_FAILED' AND dismissed_at IS NULL`,
  unknown: `SELECT id, updated_at AS at, updated_at AS due FROM scheduled_emails
    WHERE workspace_id = $1 AND status = 'OUTCOME_UNKNOWN' AND dismissed_at IS NULL`,
} as const

async function countOpen(sql: Sql, workspaceId: string): Promise<Record<'failed' | 'unknown', number>> {
  const { rows } = await sql.query<Record<'failed' | 'unknown', number>>(
    `SELECT (SELECT count(*)::int FROM (${OPEN_EMAILS.failed} LIMIT $2) one) AS failed,
       (SELECT count(*)::int FROM (${OPEN_EMAILS.unknown} LIMIT $2) one) AS unknown`,
    [workspaceId, COUNTED_MAX],
  )
  return rows[0] ?? { failed: 0, unknown: 0 }
}
