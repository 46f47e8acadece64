import { addressHasher, type HashAddress } from '#lib/audience/address-hash.ts'
import type { CancelWaiting, NoLongerWanted } from '#lib/audience/prospect.ts'
import { cancelWaiting } from '#lib/email-scheduler/cancel-waiting.ts'
import { eraseContents } from '#lib/email-scheduler/erase-contents.ts'
import type { CancelReason } from '#lib/email-scheduler/reasons.ts'
import { database } from '#lib/platform/database.ts'
import { keyring } from '../keyring.ts'

/** Where the audience meets what it may not know: the keys of this installation, and the queue. */
export async function hasherFor(workspaceId: string): Promise<HashAddress> {
  return addressHasher(database(), keyring(), workspaceId)
}

const REASONS: Record<NoLongerWanted, CancelReason> = {
  archived: 'PROSPECT_ARCHIVED',
  merged: 'PROSPECT_MERGED',
  erased: 'PROSPECT_ERASED',
  replied: 'PROSPECT_REPLIED',
  suppressed: 'SUPPRESSED',
  unsubscribed: 'PROSPECT_UNSUBSCRIBED',
}

export function cancelInQueue(workspaceId: string): CancelWaiting {
  return async (tx, prospectId, why) => {
    if (why === 'erased') await eraseContents(tx, workspaceId, [prospectId])
    return cancelWaiting(tx, workspaceId, { prospectId }, REASONS[why])
  }
}
