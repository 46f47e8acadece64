/**
 * What the invariants speak of, and in which order it is gone through in small steps: each by the columns of its primary
 * key, so that a step is a short range of one index wherever it begins.
 */
export type Walk = {
  table: string
  /** By which the conditions of invariants call a row. */
  alias: string
  key: readonly { column: string; type: string; first: string }[]
  /** Whose the row is, as SQL. */
  workspace: string
  /** What one row is, for a person: "412 of 10,000 emails". */
  unit: string
}

const NO_ID = '00000000-0000-0000-0000-000000000000'
const id = (column: string) => ({ column, type: 'uuid', first: NO_ID }) as const
const date = (column: string) => ({ column, type: 'date', first: '-infinity' }) as const

export const WALKS = {
  mailboxes: { table: 'mailboxes', alias: 'm', key: [id('id')], workspace: 'm.workspace_id', unit: 'mailboxes' },
  'mailbox-days': {
    table: 'mailbox_days',
    alias: 'd',
    key: [id('mailbox_id'), date('local_date')],
    workspace: '(SELECT m.workspace_id FROM mailboxes m WHERE m.id = d.mailbox_id)',
    unit: 'days of mailboxes',
  },
  'workspace-days': {
    table: 'workspace_days',
    alias: 'd',
    key: [id('workspace_id'), date('local_date')],
    workspace: 'd.workspace_id',
    unit: 'days of workspaces',
  },
  enrolments: {
    table: 'campaign_prospects',
    alias: 'cp',
    key: [id('id')],
    workspace: 'cp.workspace_id',
    unit: 'enrolments',
  },
  counts: {
    table: 'email_counts',
    alias: 'k',
    key: [
      ...[id('workspace_id'), id('mailbox_id'), id('campaign_id'), date('local_date')],
      // No date is before the first, so that these begin nothing.
      { column: 'status', type: 'scheduled_email_status', first: 'SCHEDULED' },
      { column: 'is_dismissed', type: 'boolean', first: 'false' },
      { column: 'error_code', type: 'text', first: '' },
    ],
    workspace: 'k.workspace_id',
    unit: 'counts of the email queue',
  },
  'people-counts': {
    table: 'people_counts',
    alias: 'n',
    key: [id('owner_id'), { column: 'state', type: 'text', first: '' }],
    workspace: `coalesce((SELECT w.id FROM workspaces w WHERE w.id = n.owner_id), (SELECT l.workspace_id FROM prospect_lists l WHERE l.id = n.owner_id),
      (SELECT c.workspace_id FROM campaigns c WHERE c.id = n.owner_id))`,
    unit: 'counts of people',
  },
  emails: { table: 'scheduled_emails', alias: 'e', key: [id('id')], workspace: 'e.workspace_id', unit: 'emails' },
} as const satisfies Record<string, Walk>

/** `installation` is no table: what is asked of it is asked once in each look. */
export const WALK_NAMES = ['installation', ...(Object.keys(WALKS) as (keyof typeof WALKS)[])] as const

export type WalkName = (typeof WALK_NAMES)[number]
