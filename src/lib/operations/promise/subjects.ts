import { EMAIL_ROWS, type EmailRow, mapScheduledEmail } from '#lib/email-scheduler/read/email-response.ts'
import { STATES, STATUSES } from '#lib/email-scheduler/states.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { WalkName } from '../doctor/walks.ts'

/** What was found, as a person knows it. */
export type FindingSubject = {
  kind: WalkName
  /** Of the email, the enrolment or the mailbox; empty for a day of the workspace, for a count and for the installation. */
  id: string | null
  /** The recipient's address, or the mailbox's; empty where the person was erased. */
  name: string | null
  prospectId: string | null
  campaign: { id: string; name: string } | null
  /** Of a day, or of what is counted. */
  date: string | null
  /** The state of an email, or of what is counted. */
  state: string | null
}

const NOBODY = { id: null, name: null, prospectId: null, campaign: null, date: null, state: null }

type Named = Partial<Omit<FindingSubject, 'kind'>>

/** By walk and key. Only what is this workspace's is read. */
export async function readSubjects(
  sql: Sql,
  workspaceId: string,
  found: readonly { walk: WalkName; key: string }[],
): Promise<Map<string, FindingSubject>> {
  const subjects = new Map<string, FindingSubject>()
  for (const [walk, ones] of Map.groupBy(found, ({ walk }) => walk)) {
    const keys = [...new Set(ones.map(({ key }) => key))]
    for (const [key, named] of await NAMERS[walk](sql, workspaceId, keys))
      subjects.set(`${walk} ${key}`, { ...NOBODY, kind: walk, ...named })
  }
  return subjects
}

type Namer = (sql: Sql, workspaceId: string, keys: readonly string[]) => Promise<[string, Named][]>

/** Of walks whose key is an id, alone or with a date. */
function byId(read: (sql: Sql, workspaceId: string, ids: readonly string[]) => Promise<Map<string, Named>>): Namer {
  return async (sql, workspaceId, keys) => {
    const parts = keys.map((key) => [key, ...key.split('/')] as const)
    const named = await read(
      sql,
      workspaceId,
      parts.map(([, id = '']) => id),
    )
    return parts.map(([key, id = '', date = null]) => [key, { date, ...named.get(id) }])
  }
}

const nameMailboxes = byId(async (sql, workspaceId, ids) => {
  const { rows } = await sql.query<{ id: string; name: string }>(
    'SELECT id, address AS name FROM mailboxes WHERE workspace_id = $1 AND id = ANY($2::uuid[])',
    [workspaceId, ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
})

const NAMERS: Record<WalkName, Namer> = {
  installation: async (_sql, _workspaceId, keys) => keys.map((key) => [key, {}]),
  'workspace-days': async (_sql, _workspaceId, keys) => keys.map((key) => [key, { date: key.split('/')[1] ?? null }]),
  mailboxes: nameMailboxes,
  'mailbox-days': nameMailboxes,
  emails: byId(async (sql, workspaceId, ids) => {
    const { rows } = await sql.query<EmailRow>(`${EMAIL_ROWS} WHERE e.workspace_id = $1 AND e.id = ANY($2::uuid[])`, [
      workspaceId,
      ids,
    ])
    return new Map(
      rows.map((row) => {
        const { id, recipient, prospectId, campaign, statusName } = mapScheduledEmail(row)
        return [id, { id, name: recipient, prospectId, campaign, state: statusName }]
      }),
    )
  }),
  enrolments: byId(async (sql, workspaceId, ids) => {
    const { rows } = await sql.query<Named & { id: string; campaignId: string; campaignName: string }>(
      `SELECT cp.id, p.email AS name, cp.prospect_id AS "prospectId", c.id AS "campaignId", c.name AS "campaignName"
       FROM campaign_prospects cp JOIN campaigns c ON c.id = cp.campaign_id JOIN prospects p ON p.id = cp.prospect_id
       WHERE cp.workspace_id = $1 AND cp.id = ANY($2::uuid[])`,
      [workspaceId, ids],
    )
    return new Map(
      rows.map(({ campaignId, campaignName, ...row }) => [
        row.id,
        { ...row, campaign: { id: campaignId, name: campaignName } },
      ]),
    )
  }),
  'people-counts': async (sql, workspaceId, keys) => {
    const parts = keys.map((key) => [key, ...key.split('/')] as const)
    const ids = parts.map(([, id]) => id)
    const ask = async (text: string) => (await sql.query<{ id: string; name: string }>(text, [workspaceId, ids])).rows
    const campaigns = await ask('SELECT id, name FROM campaigns WHERE workspace_id = $1 AND id = ANY($2::uuid[])')
    const lists = await ask('SELECT id, name FROM prospect_lists WHERE workspace_id = $1 AND id = ANY($2::uuid[])')
    return parts.map(([key, id, state]) => {
      const list = lists.find((one) => one.id === id)
      const campaign = campaigns.find((one) => one.id === id) ?? null
      return [key, { id: list?.id ?? null, name: list?.name ?? null, campaign, state: state || null }]
    })
  },
  counts: async (sql, workspaceId, keys) => {
    const parts = keys.map((key) => [key, ...key.split('/')] as const)
    const { rows } = await sql.query<{ id: string; name: string }>(
      'SELECT id, name FROM campaigns WHERE workspace_id = $1 AND id = ANY($2::uuid[])',
      [workspaceId, parts.map(([, , , campaignId]) => campaignId)],
    )
    return parts.map(([key, , , campaignId, date = null, status]) => {
      const state = STATUSES.find((one) => one === status)
      return [
        key,
        { campaign: rows.find(({ id }) => id === campaignId) ?? null, date, state: state ? STATES[state].name : null },
      ]
    })
  },
}
