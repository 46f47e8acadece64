import { addressHasher, type HashAddress } from '#lib/audience/address-hash.ts'
import type { Consequences, NoLongerWanted } from '#lib/audience/prospect.ts'
import { recheckProspects } from '#lib/campaigns/blocked.ts'
import { cancelWaiting } from '#lib/email-scheduler/effects/cancel-waiting.ts'
import { eraseRecipients } from '#lib/email-scheduler/effects/erase-recipients.ts'
import { eraseTraces } from '#lib/email-scheduler/effects/erase-traces.ts'
import { unpark } from '#lib/email-scheduler/effects/unpark.ts'
import { exportTraces } from '#lib/email-scheduler/read/export-traces.ts'
import type { CancelReason } from '#lib/email-scheduler/reasons.ts'
import { eraseParts } from '#lib/outbox/email-parts.ts'
import { database } from '#lib/platform/database.ts'
import { keyring } from './keyring.ts'

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

export function consequencesIn(workspaceId: string): Consequences {
  return {
    cancelWaiting: (tx, prospectId, why) => cancelWaiting(tx, workspaceId, { prospectId }, REASONS[why]),
    async fieldsChanged(tx, prospectIds) {
      await recheckProspects(tx, workspaceId, prospectIds)
      await unpark(tx, workspaceId, { prospectIds }, 'merge-fields-complete')
    },
    async resumed(tx, prospectIds) {
      await unpark(tx, workspaceId, { prospectIds }, 'prospect-active')
    },
    erased: (tx, prospectIds) => eraseTraces(tx, workspaceId, prospectIds),
    async addressesErased(tx, addresses) {
      const { emailIds, cancelledEmails } = await eraseRecipients(tx, workspaceId, addresses)
      await eraseParts(tx, emailIds)
      return cancelledEmails
    },
    exportTraces: (tx, prospectIds, addresses) => exportTraces(tx, workspaceId, prospectIds, addresses),
  }
}
