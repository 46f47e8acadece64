import { type Consequences, lockProspect, prospectTarget } from '#lib/audience/prospect.ts'
import { lockSuppressions } from '#lib/audience/suppression/suppressions.ts'
import { eraseEventsOf } from '#lib/events/erase-events.ts'
import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import { blankKeptAnswers } from '#lib/tenancy/kept-answers.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { addressesOf, blankFormerAddresses } from './former-addresses.ts'

/**
 * Takes away what is personal, of this prospect and of everybody who was merged with it: they are one person. What stays
 * is the id, its keys and the keyed hash of the address, so that the same person is known again and nothing is sent twice;
 * and that they unsubscribed or are suppressed, so that it goes on to hold. That two addresses were one person's is
 * personal too: each becomes a tombstone of its own.
 */
export async function eraseProspect(
  tx: Sql,
  workspaceId: string,
  id: string,
  actor: Actor,
  consequences: Consequences,
): Promise<{ erased: number; cancelledEmails: number }> {
  await lockSuppressions(tx, workspaceId)
  const named = await lockProspect(tx, workspaceId, id)
  if (!named) throw notFound()
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id FROM prospects WHERE workspace_id = $1 AND (id = $2 OR merged_into_id = $2) ORDER BY id FOR NO KEY UPDATE`,
    [workspaceId, named.mergedIntoId ?? id],
  )
  const ids = rows.map((row) => row.id)
  await tx.query(
    `UPDATE suppressions s SET value = NULL, reason = NULL FROM prospects p
     WHERE p.id = ANY($2::uuid[]) AND s.workspace_id = $1 AND (s.value_hash = p.email_hash
       OR s.value_hash IN (SELECT email_hash FROM former_addresses WHERE prospect_id = p.id))`,
    [workspaceId, ids],
  )
  const addresses = await addressesOf(tx, ids)
  const { rowCount } = await tx.query(
    `UPDATE prospects SET email = NULL, first_name = NULL, last_name = NULL, company = NULL, custom_fields = '{}',
       time_zone = NULL, merged_into_id = NULL, erased_at = app_now(), updated_at = app_now(),
       unsubscribed_at = coalesce(unsubscribed_at, (SELECT min(unsubscribed_at) FROM prospects WHERE id = ANY($1::uuid[])))
     WHERE id = ANY($1::uuid[]) AND erased_at IS NULL`,
    [ids],
  )
  await blankFormerAddresses(tx, ids)
  await blankKeptAnswers(tx, workspaceId)
  await eraseEventsOf(tx, workspaceId, ids)
  await tx.query('DELETE FROM list_members WHERE prospect_id = ANY($1::uuid[])', [ids])
  await tx.query('DELETE FROM import_people WHERE prospect_id = ANY($1::uuid[])', [ids])
  let cancelledEmails = 0
  for (const erasedId of ids) cancelledEmails += await consequences.cancelWaiting(tx, erasedId, 'erased')
  await consequences.erased(tx, ids)
  cancelledEmails += await consequences.addressesErased(tx, addresses)
  const erased = rowCount ?? 0
  if (erased > 0) {
    await recordAudit(tx, workspaceId, {
      action: 'prospect.erased',
      actor,
      target: prospectTarget(id),
      details: { prospects: erased, cancelledEmails },
    })
  }
  return { erased, cancelledEmails }
}
