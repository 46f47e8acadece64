import { PublicError } from '#lib/platform/api-response.ts'

/** What can be archived, and where it is brought back from there. */
const PLACES = {
  campaign: '/api/campaigns',
  list: '/api/lists',
  mailbox: '/api/mailboxes',
  prospect: '/api/prospects',
  segment: '/api/segments',
  sequence: '/api/sequences',
  template: '/api/templates',
} as const

type Archivable = keyof typeof PLACES

/** What is archived takes part in nothing until it is brought back; the answer says how. */
export function refuseArchived(kind: Archivable, row: { id: string; archivedAt: Date | null }): void {
  if (row.archivedAt) throw isArchived(kind, row.id)
}

export function isArchived(kind: Archivable, id: string): PublicError {
  return new PublicError(409, 'archived', `The ${kind} is archived. Restore it first.`, {
    restore: { method: 'POST', path: `${PLACES[kind]}/${id}/restore` },
  })
}

/** Which of them a list shows; the archive is out of sight unless it is asked for. */
export const ARCHIVED_CHOICES = ['false', 'true', 'all'] as const

export type ArchivedChoice = (typeof ARCHIVED_CHOICES)[number]

/** As a condition on a column of ours. */
export function archivedSql(column: string, choice: ArchivedChoice): string {
  if (choice === 'all') return 'true'
  return `${column} IS ${choice === 'true' ? 'NOT NULL' : 'NULL'}`
}
