import { EMAIL_ROWS, type EmailRow, mapScheduledEmail } from '#lib/email-scheduler/read/email-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { WalkName } from '../doctor/walks.ts'

/** What was found, as a person knows it. */
export type FindingSubject = {
  kind: WalkName
  /** Of the email, the enrolment or the mailbox; empty for a day of the workspace and for the installation. */
  id: string | null
  /** The recipient's address, or the mailbox's; empty where the person was erased. */
  name: string | null
  prospectId: string | null
  campaign: { id: string; name: string } | null
  /** Of a day. */
  date: string | null
  /** The state of an email, or of a person in a campaign. */
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
    const ids = keys.map((key) => key.split('/')[0] ?? '')
    const named = await NAMERS[walk](sql, workspaceId, ids)
    for (const key of keys) {
      const [id = '', date = null] = key.split('/')
      subjects.set(`${walk} ${key}`, { ...NOBODY, kind: walk, date, ...named.get(id) })
    }
  }
  return subjects
}

type Namer = (sql: Sql, workspaceId: string, ids: readonly string[]) => Promise<Map<string, Named>>

const nameMailboxes: Namer = async (sql, workspaceId, ids) => {
  const { rows } = await sql.query<{ id: string; name: string }>(
    'SELECT id, address AS name FROM mailboxes WHERE workspace_id = $1 AND id = ANY($2::uuid[])',
    [workspaceId, ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

const nobody: Namer = async () => new Map()

const NAMERS: Record<WalkName, Namer> = {
  installation: nobody,
  'workspace-days': nobody,
  mailboxes: nameMailboxes,
  'mailbox-days': nameMailboxes,
  emails: async (sql, workspaceId, ids) => {
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
  },
  enrolments: async (sql, workspaceId, ids) => {
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
  },
}
