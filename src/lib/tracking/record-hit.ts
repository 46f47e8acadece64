import type { Sql } from '#lib/platform/database.ts'
import type { TrackedLink } from './tracking-link.ts'

/** The key of the event that a hit becomes: one for each email and link, however often it is asked for. */
export const eventKeyOf = ({ emailId, link }: Pick<TrackedLink, 'emailId' | 'link'>) =>
  link === 0 ? `opened:${emailId}` : `clicked:${emailId}:${link}`

/** Asked for again so soon, it is the same look. */
export const SAME_LOOK_SECONDS = 5

/**
 * Puts a hit aside for its verdict. What is an event already is not written again; of what waits for its verdict, the
 * first and the last look are kept. No row but its own is touched.
 */
export async function recordHit(sql: Sql, hit: TrackedLink): Promise<void> {
  await sql.query(
    `INSERT INTO tracking_hits (email_id, link, workspace_id, target)
     SELECT $1, $2, $3, $4 WHERE NOT EXISTS (SELECT FROM person_events WHERE workspace_id = $3 AND dedupe_key = $5)
     ON CONFLICT (email_id, link) DO UPDATE SET last_hit_at = app_now()
     WHERE tracking_hits.last_hit_at < app_now() - interval '${SAME_LOOK_SECONDS} seconds'`,
    [hit.emailId, hit.link, hit.workspaceId, hit.target, eventKeyOf(hit)],
  )
}
