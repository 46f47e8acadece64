import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { CustomValue } from './fields.ts'

export type Prospect = {
  id: string
  email: string | null
  firstName: string | null
  lastName: string | null
  company: string | null
  customFields: Record<string, CustomValue>
  timeZone: string | null
  pausedAt: Date | null
  repliedAt: Date | null
  bouncedAt: Date | null
  unsubscribedAt: Date | null
  /** By the link in an email: only then the same link takes it back. */
  unsubscribedByReader: boolean
  archivedAt: Date | null
  erasedAt: Date | null
  mergedIntoId: string | null
  /** Rises with every change. */
  version: number
  createdAt: Date
  updatedAt: Date
}

export const PROSPECT_COLUMNS = `p.id, p.email, p.first_name AS "firstName", p.last_name AS "lastName", p.company,
  p.custom_fields AS "customFields", p.time_zone AS "timeZone", p.paused_at AS "pausedAt", p.replied_at AS "repliedAt",
  p.bounced_at AS "bouncedAt", p.unsubscribed_at AS "unsubscribedAt",
  p.unsubscribed_by_reader AS "unsubscribedByReader", p.archived_at AS "archivedAt",
  p.erased_at AS "erasedAt", p.merged_into_id AS "mergedIntoId", p.version, p.created_at AS "createdAt", p.updated_at AS "updatedAt"`

/** What a list of prospects can be narrowed to. One that is archived, merged or erased is in none of the others. */
export const PROSPECT_STATES = {
  active: { name: 'Active', sentence: 'May get email.' },
  paused: { name: 'Paused', sentence: 'Gets nothing until a person resumes it.' },
  replied: { name: 'Replied', sentence: 'Has replied, so nothing more is sent.' },
  bounced: { name: 'Bounced', sentence: 'Has an address that bounced.' },
  unsubscribed: { name: 'Unsubscribed', sentence: 'Has unsubscribed.' },
  archived: { name: 'Archived', sentence: 'Was archived, and is kept for what was sent.' },
} as const

export type ProspectState = keyof typeof PROSPECT_STATES

export const PROSPECT_STATE_NAMES = Object.keys(PROSPECT_STATES) as [ProspectState, ...ProspectState[]]

/** Why emails that wait for a prospect are no longer wanted. */
export type NoLongerWanted = 'archived' | 'erased' | 'merged' | 'replied' | 'suppressed' | 'unsubscribed'

/** Cancels what waits for a prospect, in the transaction that has just changed and so locked its row. */
export type CancelWaiting = (tx: Sql, prospectId: string, why: NoLongerWanted) => Promise<number>

type Row = Record<string, unknown>

/** What became of a person in campaigns and in the queue. */
export type ProspectTraces = {
  enrolments: Row[]
  emails: Row[]
  /** What was sent, as it was sent, but for the link that only its reader has. */
  contents: Row[]
  attempts: Row[]
  events: Row[]
  /** In sequences that branch: where they stand, what they came through, what was waited for, and what is set for a time. */
  journeys: Row[]
  journeySteps: Row[]
  journeyWaits: Row[]
  actions: Row[]
}

/**
 * What a change of prospects means for campaigns and the queue, which come after this folder: handed in by the routes,
 * and called in the transaction that has just changed and so locked the prospects.
 */
export type Consequences = {
  cancelWaiting: CancelWaiting
  /** An enrolment that waits for a field that is filled now is free. */
  fieldsChanged(tx: Sql, prospectIds: readonly string[]): Promise<void>
  /** What was held back because they were paused goes on. */
  resumed(tx: Sql, prospectIds: readonly string[]): Promise<void>
  /** What the queue and its history hold of what was personal goes too. */
  erased(tx: Sql, prospectIds: readonly string[]): Promise<void>
  /** The same of what programs had sent to these addresses, which were theirs. Answers how many of those waited. */
  addressesErased(tx: Sql, addresses: readonly string[]): Promise<number>
  /** What campaigns and the queue hold about them, and about these addresses of theirs. */
  exportTraces(tx: Sql, prospectIds: readonly string[], addresses: readonly string[]): Promise<ProspectTraces>
}

/** Its row, locked until the transaction ends; another workspace's is not found. */
export async function lockProspect(tx: Sql, workspaceId: string, id: string): Promise<Prospect | undefined> {
  const { rows } = await tx.query<Prospect>(
    `SELECT ${PROSPECT_COLUMNS} FROM prospects p WHERE p.workspace_id = $1 AND p.id = $2 FOR NO KEY UPDATE`,
    [workspaceId, id],
  )
  return rows[0]
}

/** A tombstone is changed no more. */
export function refuseTombstone(prospect: Prospect): void {
  if (prospect.mergedIntoId)
    throw new PublicError(409, 'merged', 'This prospect was merged into another; change that one.', {
      mergedIntoId: prospect.mergedIntoId,
    })
  if (prospect.erasedAt)
    throw new PublicError(409, 'erased', 'This person’s data was erased. Adding the address again brings it back.')
}

/** An address is personal data, and the audit log is kept for ever: there a prospect is named by its id. */
export const prospectTarget = (id: string) => ({ kind: 'prospect', id, name: `prospect ${id}` })
