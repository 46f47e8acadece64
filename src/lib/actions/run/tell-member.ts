import type { Sql } from '#lib/platform/database.ts'

export type MemberNotice = {
  workspaceId: string
  personId: string
  note: string
  prospectId: string
  campaignId: string
}

/**
 * Puts a mail to a member into the queue, in the transaction of what it tells of. Handed in: how the product sends mails of
 * its own is a matter of the installation.
 */
export type TellMember = (tx: Sql, notice: MemberNotice) => Promise<'told' | 'no-such-member' | 'no-system-mail'>
