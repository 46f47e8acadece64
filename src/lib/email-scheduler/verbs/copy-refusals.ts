import { suppressedProspects } from '#lib/audience/suppression/suppressed.ts'
import { mayHaveArrived } from '#lib/campaigns/may-have-arrived.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { RefusalByState } from './person-verb.ts'

/**
 * Which of these emails cannot go out again, and why. Where an earlier attempt may have arrived, the very copy of it goes
 * out or nothing: so not to an address that is no longer the recipient's, nor to a suppressed one. The mark looks again;
 * here a person hears of it at once. A copy that was erased cannot go out: for who has come back since, it is written anew.
 */
export async function copyRefusals(
  tx: Sql,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, RefusalByState>> {
  const { rows } = await tx.query<{ id: string; prospectId: string; isMoved: boolean }>(
    `SELECT e.id, p.id AS "prospectId", c.to_address <> p.email AS "isMoved"
     FROM scheduled_emails e JOIN prospects p ON p.id = e.prospect_id
     JOIN email_contents c ON c.email_id = e.id AND c.content_token = e.content_token AND c.erased_at IS NULL
     WHERE e.workspace_id = $1 AND e.id = ANY($2::uuid[]) AND ${mayHaveArrived('e')}`,
    [workspaceId, ids],
  )
  const suppressed = await suppressedProspects(
    tx,
    workspaceId,
    rows.map(({ prospectId }) => prospectId),
  )
  return new Map(
    rows.flatMap(({ id, prospectId, isMoved }): [string, RefusalByState][] => {
      if (isMoved) return [[id, 'address-changed']]
      return suppressed.has(prospectId) ? [[id, 'suppressed']] : []
    }),
  )
}
