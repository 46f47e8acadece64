import { CUSTOM_FIELDS_MAX, TOO_MANY_FIELDS } from '#lib/audience/fields.ts'
import { loadProspect } from '#lib/audience/list-prospects.ts'
import {
  type Consequences,
  lockProspect,
  type Prospect,
  prospectTarget,
  refuseTombstone,
} from '#lib/audience/prospect.ts'
import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'

/**
 * Two rows are one person. The winner fills its gaps from the loser and takes its lists; the loser becomes a tombstone
 * that points to the winner and keeps its address, enrolments and emails, so that no key of either is ever free again.
 * What waits for the loser is cancelled. Who unsubscribed or replied under one address did so under both; a bounce and a
 * pause say something of one of them only.
 */
export async function mergeProspects(
  tx: Sql,
  workspaceId: string,
  { winnerId, loserId }: { winnerId: string; loserId: string },
  actor: Actor,
  { cancelWaiting, fieldsChanged }: Consequences,
): Promise<{ prospect: Prospect; cancelledEmails: number }> {
  if (winnerId === loserId) throw new PublicError(400, 'invalid-input', 'A prospect cannot be merged into itself.')
  const { winner, loser } = await lockBoth(tx, workspaceId, winnerId, loserId)
  refuseTombstone(winner)
  if (loser.mergedIntoId === winnerId) return { prospect: winner, cancelledEmails: 0 }
  refuseTombstone(loser)
  if (Object.keys({ ...loser.customFields, ...winner.customFields }).length > CUSTOM_FIELDS_MAX)
    throw new PublicError(409, 'too-many-fields', TOO_MANY_FIELDS)
  await tx.query(
    `UPDATE prospects w SET first_name = coalesce(w.first_name, l.first_name), last_name = coalesce(w.last_name, l.last_name),
       company = coalesce(w.company, l.company), time_zone = coalesce(w.time_zone, l.time_zone),
       custom_fields = l.custom_fields || w.custom_fields,
       unsubscribed_at = least(w.unsubscribed_at, l.unsubscribed_at),
       unsubscribed_by_reader = (w.unsubscribed_by_reader OR l.unsubscribed_by_reader)
         AND (w.unsubscribed_at IS NULL OR w.unsubscribed_by_reader) AND (l.unsubscribed_at IS NULL OR l.unsubscribed_by_reader),
       replied_at = least(w.replied_at, l.replied_at),
       updated_at = app_now()
     FROM prospects l WHERE w.id = $1 AND l.id = $2`,
    [winnerId, loserId],
  )
  await tx.query(
    `UPDATE prospects SET merged_into_id = $1, archived_at = coalesce(archived_at, app_now()), first_name = NULL,
       last_name = NULL, company = NULL, custom_fields = '{}', time_zone = NULL, updated_at = app_now()
     WHERE id = $2`,
    [winnerId, loserId],
  )
  // A prospect merged into the loser before points to the winner now: there are no chains to follow.
  await tx.query('UPDATE prospects SET merged_into_id = $1, updated_at = app_now() WHERE merged_into_id = $2', [
    winnerId,
    loserId,
  ])
  await tx.query(
    `INSERT INTO list_members (list_id, prospect_id) SELECT list_id, $1 FROM list_members WHERE prospect_id = $2
     ON CONFLICT DO NOTHING`,
    [winnerId, loserId],
  )
  await tx.query('DELETE FROM list_members WHERE prospect_id = $1', [loserId])
  let cancelledEmails = await cancelWaiting(tx, loserId, 'merged')
  if (loser.unsubscribedAt && !winner.unsubscribedAt)
    cancelledEmails += await cancelWaiting(tx, winnerId, 'unsubscribed')
  else if (loser.repliedAt && !winner.repliedAt) cancelledEmails += await cancelWaiting(tx, winnerId, 'replied')
  await fieldsChanged(tx, [winnerId])
  await recordAudit(tx, workspaceId, {
    action: 'prospect.merged',
    actor,
    target: prospectTarget(loserId),
    details: { into: winnerId, cancelledEmails },
  })
  return { prospect: await loadProspect(tx, workspaceId, winnerId), cancelledEmails }
}

/** By id, like everybody who locks several: two merges of the same pair, one each way round, wait and do not deadlock. */
async function lockBoth(tx: Sql, workspaceId: string, winnerId: string, loserId: string) {
  const found = new Map<string, Prospect | undefined>()
  for (const id of [winnerId, loserId].sort()) found.set(id, await lockProspect(tx, workspaceId, id))
  const [winner, loser] = [found.get(winnerId), found.get(loserId)]
  if (!winner || !loser) throw notFound()
  return { winner, loser }
}
