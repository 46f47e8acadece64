import type { ProspectState } from './prospect.ts'

/** Which people of a workspace; what is absent narrows nothing. */
export type ProspectFilter = {
  search?: string | undefined
  listId?: string | undefined
  state?: ProspectState | undefined
  /** Whether an email was, or may have been, handed over for them or for one who was merged into them. */
  contacted?: 'yes' | 'no' | undefined
  /** A field that is set, by the name that a text uses. */
  has?: string | undefined
  /** A field that is empty. */
  lacks?: string | undefined
  /** Whom an import brought in, and with which outcome. */
  importId?: string | undefined
  outcome?: ImportOutcome | undefined
}

export const IMPORT_OUTCOMES = ['created', 'updated', 'revived', 'unchanged'] as const

/** What an import did with a person. */
export type ImportOutcome = (typeof IMPORT_OUTCOMES)[number]

/** Without a state: everybody who is not archived. Tombstones of erased and merged people are in no list. */
const OF_STATE: Record<ProspectState, string> = {
  active: `p.archived_at IS NULL AND p.paused_at IS NULL AND p.replied_at IS NULL AND p.bounced_at IS NULL AND p.unsubscribed_at IS NULL`,
  paused: 'p.archived_at IS NULL AND p.paused_at IS NOT NULL',
  replied: 'p.archived_at IS NULL AND p.replied_at IS NOT NULL',
  bounced: 'p.archived_at IS NULL AND p.bounced_at IS NOT NULL',
  unsubscribed: 'p.archived_at IS NULL AND p.unsubscribed_at IS NOT NULL',
  archived: 'p.archived_at IS NOT NULL',
}

/** As prospects_search_idx has it: a part of any word in it is found through its trigrams. */
const SEARCHED = `lower(coalesce(p.email, '') || ' ' || coalesce(p.first_name, '') || ' ' || coalesce(p.last_name, '') || ' ' || coalesce(p.company, ''))`

const CONTACTED = `EXISTS (
  SELECT FROM (SELECT p.id UNION ALL SELECT merged.id FROM prospects merged WHERE merged.merged_into_id = p.id) one
  JOIN campaign_prospects cp ON cp.prospect_id = one.id
  JOIN scheduled_emails e ON e.campaign_prospect_id = cp.id
  WHERE e.status = 'SENT' OR e.marked_token IS NOT NULL)`

/**
 * The same for a statement that reads everybody: the queue is read once, and not looked into for each person. No NULL may
 * be among them, as transactional emails have it: its negation would hold for nobody.
 */
const CONTACTED_OF_ALL = `(p.id IN (
  SELECT e.prospect_id FROM scheduled_emails e
  WHERE e.workspace_id = $1 AND e.prospect_id IS NOT NULL AND (e.status = 'SENT' OR e.marked_token IS NOT NULL))
  OR p.id IN (
  SELECT merged.merged_into_id FROM prospects merged JOIN campaign_prospects cp ON cp.prospect_id = merged.id
  JOIN scheduled_emails e ON e.campaign_prospect_id = cp.id
  WHERE merged.workspace_id = $1 AND merged.merged_into_id IS NOT NULL AND (e.status = 'SENT' OR e.marked_token IS NOT NULL)))`

/** No plain object: a field of the workspace's own may be called `constructor`, and what came back would be no column. */
const COLUMN: ReadonlyMap<string, string> = new Map([
  ['firstName', 'p.first_name'],
  ['lastName', 'p.last_name'],
  ['company', 'p.company'],
  ['timeZone', 'p.time_zone'],
])

/**
 * The condition, its values, and how to add another value. What is not asked for is no part of the statement, so that
 * the planner sees which index serves. `reads`: a page of them, or all.
 */
export function matching(workspaceId: string, filter: ProspectFilter, reads: 'page' | 'all' = 'page') {
  const values: unknown[] = []
  const add = (value: unknown) => `$${values.push(value)}`
  const conditions = [
    `p.workspace_id = ${add(workspaceId)} AND p.erased_at IS NULL AND p.merged_into_id IS NULL`,
    filter.state ? OF_STATE[filter.state] : 'p.archived_at IS NULL',
  ]
  if (filter.listId)
    conditions.push(
      `EXISTS (SELECT FROM list_members m WHERE m.list_id = ${add(filter.listId)} AND m.prospect_id = p.id)`,
    )
  if (filter.search) {
    const part = `%${filter.search.normalize('NFC').replaceAll(/[\\%_]/g, '\\$&')}%`
    conditions.push(`${SEARCHED} LIKE lower(${add(part)})`)
  }
  if (filter.contacted) {
    const contacted = reads === 'all' ? CONTACTED_OF_ALL : CONTACTED
    conditions.push(filter.contacted === 'yes' ? contacted : `NOT ${contacted}`)
  }
  if (filter.has) conditions.push(`${isSet(filter.has, add)}`)
  if (filter.lacks) conditions.push(`NOT ${isSet(filter.lacks, add)}`)
  if (filter.importId) {
    const outcome = filter.outcome ? `AND i.outcome = ${add(filter.outcome)}` : ''
    conditions.push(
      `EXISTS (SELECT FROM import_people i WHERE i.job_id = ${add(filter.importId)} AND i.prospect_id = p.id ${outcome})`,
    )
  }
  return { where: conditions.join(' AND '), values, add }
}

/** An empty text is as good as none: a merge treats it so. */
function isSet(field: string, add: (value: unknown) => string): string {
  const value = COLUMN.get(field) ?? `p.custom_fields ->> ${add(field)}`
  return `(coalesce(${value}, '') <> '')`
}
