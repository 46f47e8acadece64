import type pg from 'pg'
import type { Sql } from '#lib/platform/database.ts'
import type { Log } from '#lib/platform/log.ts'

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

/** What a worker carries actions out with. */
export type ActionMeans = { pool: pg.Pool; worker: string; log: Log; tellMember: TellMember | undefined }
