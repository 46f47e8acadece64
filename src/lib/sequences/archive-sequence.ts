import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { loadSequence, lockAnySequence, type SequenceWithSteps } from './sequence.ts'

/** Leaves the lists; twice is once. Whether a campaign is still on it is asked of the caller's function: campaigns come after sequences. */
export async function archiveSequence(
  tx: Sql,
  workspaceId: string,
  id: string,
  actor: Actor,
  isInUse: (tx: Sql, sequenceId: string) => Promise<boolean>,
): Promise<void> {
  const { name, archivedAt } = await lockAnySequence(tx, workspaceId, id)
  if (archivedAt) return
  if (await isInUse(tx, id))
    throw new PublicError(
      409,
      'sequence-in-use',
      'A campaign that is not over uses the sequence; stop or archive it first.',
    )
  await tx.query('UPDATE sequences SET archived_at = app_now(), updated_at = app_now() WHERE id = $1', [id])
  await recordAudit(tx, workspaceId, { action: 'sequence.archived', actor, target: { kind: 'sequence', id, name } })
}

/** Back into the lists. Its keys were never free, so that nobody gets a step of it again. */
export async function restoreSequence(
  tx: Sql,
  workspaceId: string,
  id: string,
  actor: Actor,
): Promise<SequenceWithSteps> {
  const before = await lockAnySequence(tx, workspaceId, id)
  if (!before.archivedAt) return before
  await tx.query('UPDATE sequences SET archived_at = NULL, updated_at = app_now() WHERE id = $1', [id])
  const target = { kind: 'sequence', id, name: before.name }
  await recordAudit(tx, workspaceId, { action: 'sequence.restored', actor, target })
  return loadSequence(tx, workspaceId, id)
}
