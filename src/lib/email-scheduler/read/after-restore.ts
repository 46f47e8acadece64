import type { Sql } from '#lib/platform/database.ts'
import type { Doubt } from '#lib/platform/generated/enums.ts'

export type MaybeSent = {
  workspace: string
  /** Empty for transactional email. */
  campaignId: string | null
  campaign: string | null
  mailboxId: string
  mailbox: string
  /**
   * `IN_BETWEEN`: its time came after the last sign of sending. `BEFORE`: it was due already then, and waited for a quota,
   * a pause or its turn. `HELD`: a worker had it. `NOT_PLANNED`: in a sequence that branches its person was due to be moved
   * on, or to be planned, so that the lost server may have planned and sent what is not here yet: one for each person.
   */
  doubt: Doubt
  emails: number
  from: Date
  to: Date
}

/** One workspace's, from the group after one that was answered. */
export type MaybeSentPage = { workspaceId: string; after?: MaybeSentPlace | undefined; limit: number }

export type MaybeSentPlace = { from: Date; campaignId: string | null; mailboxId: string; doubt: Doubt }

/** Of a campaign `c`: what waits in it may still be sent. */
const GOES_ON = `c.status NOT IN ('STOPPED', 'DRAFT')`

/** Emails that waited when the hold began, and wait still. */
const WAITING_EMAILS = `SELECT e.id, e.workspace_id, c.id AS campaign_id, c.name AS campaign, e.mailbox_id, d.doubt, d.at
  FROM server_sightings s JOIN emails_in_doubt d ON d.sighting_id = s.id
  JOIN scheduled_emails e ON e.id = d.email_id AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED', 'SENDING')
  LEFT JOIN campaigns c ON c.id = e.campaign_id
  WHERE s.lifted_at IS NULL AND (c.id IS NULL OR ${GOES_ON})`

/**
 * An action `a` that was to move a person on by the time when the hold of the sighting `s` began, and has not; one that
 * follows from such a one too, and one that is tried again later.
 */
const WAS_TO_MOVE = `(a.due_at <= s.noticed_at OR (a.attempts > 0 AND a.created_at <= s.noticed_at))`

const MOVING_TYPES = `a.type IN ('MOVE_ON', 'WAIT', 'TIMEOUT', 'LOOK')`

/**
 * People of sequences that branch who were due to be moved on, or to be planned, when the hold began, and are not planned
 * yet. Nothing of it is written down: a person who is planned while sending is held is in doubt by their emails from
 * then on.
 */
const PEOPLE_NOT_PLANNED = `SELECT cp.id, j.workspace_id, c.id AS campaign_id, c.name AS campaign, cp.mailbox_id, 'NOT_PLANNED'::doubt AS doubt, due.at
  FROM server_sightings s CROSS JOIN LATERAL (
    SELECT a.enrolment_id, min(a.due_at) AS at FROM scheduled_actions a
    WHERE ${MOVING_TYPES} AND a.status IN ('PENDING', 'RUNNING', 'DEAD') AND ${WAS_TO_MOVE} GROUP BY a.enrolment_id
    UNION ALL SELECT p.enrolment_id, p.arrived_at FROM journeys p WHERE p.state = 'PLAN' AND p.arrived_at <= s.noticed_at) due
  JOIN journeys j ON j.enrolment_id = due.enrolment_id AND j.state IN ('PLAN', 'MOVING', 'WAITING', 'BRANCH')
  JOIN campaign_prospects cp ON cp.id = j.enrolment_id JOIN campaigns c ON c.id = j.campaign_id
  WHERE s.lifted_at IS NULL AND s.reason <> 'FIRST' AND ${GOES_ON}`

const IN_DOUBT = `(${WAITING_EMAILS} UNION ALL ${PEOPLE_NOT_PLANNED}) e`

const GROUPS = `SELECT e.workspace_id, e.campaign_id AS "campaignId", e.campaign, e.mailbox_id AS "mailboxId", e.doubt,
    count(*)::int AS emails, min(e.at) AS "from", max(e.at) AS "to"
  FROM ${IN_DOUBT}`

const GROUPED = 'GROUP BY e.workspace_id, e.campaign_id, e.campaign, e.mailbox_id, e.doubt'

/**
 * What may have been sent by the server that was lost, and is forgotten by this one: what waited here, with its time come,
 * when that was noticed, and waits still. The database cannot tell more: the providers' Sent folders can.
 */
export async function readMaybeSent(sql: Sql, page?: MaybeSentPage): Promise<MaybeSent[]> {
  if (page) return readMaybeSentPage(sql, page)
  const { rows } = await sql.query<MaybeSent>(
    `SELECT w.name AS workspace, g."campaignId", g.campaign, g."mailboxId", m.address AS mailbox, g.doubt, g.emails, g."from", g."to"
     FROM (${GROUPS} ${GROUPED}) g
     JOIN workspaces w ON w.id = g.workspace_id JOIN mailboxes m ON m.id = g."mailboxId"
     ORDER BY w.name, g.campaign, m.address, g."from"`,
  )
  return rows
}

async function readMaybeSentPage(sql: Sql, { workspaceId, after, limit }: MaybeSentPage): Promise<MaybeSent[]> {
  const { rows } = await sql.query<MaybeSent>(
    `SELECT w.name AS workspace, g."campaignId", g.campaign, g."mailboxId", m.address AS mailbox, g.doubt, g.emails, g."from", g."to"
     FROM (${GROUPS} WHERE e.workspace_id = $1 ${GROUPED}) g
     JOIN workspaces w ON w.id = g.workspace_id JOIN mailboxes m ON m.id = g."mailboxId"
     WHERE $2::timestamptz IS NULL
       OR (g."from", coalesce(g."campaignId"::text, ''), g."mailboxId"::text, g.doubt) > ($2, $3::text, $4::text, $5::doubt)
     ORDER BY g."from", coalesce(g."campaignId"::text, ''), g."mailboxId"::text, g.doubt LIMIT $6`,
    [workspaceId, after?.from, after?.campaignId ?? '', after?.mailboxId, after?.doubt, limit],
  )
  return rows
}

/** One workspace's, $1, each by itself: the id of an email, or of the enrolment where nothing is planned yet. */
export const MAYBE_SENT_ROWS = `SELECT e.id, e.at, e.at AS due FROM ${IN_DOUBT} WHERE e.workspace_id = $1`

/** Of one group: its mailbox, how likely it is, and its campaign, which transactional email has not. */
export const MAYBE_SENT_ROWS_OF_GROUP = `${MAYBE_SENT_ROWS} AND e.mailbox_id = $2 AND e.doubt = $3::doubt AND e.campaign_id IS NOT DISTINCT FROM $4::uuid`

export type MaybeSentSum = { emails: number; from: Date | null; to: Date | null }

/** Of one workspace, all groups together. */
export async function sumMaybeSent(sql: Sql, workspaceId: string): Promise<MaybeSentSum> {
  const { rows } = await sql.query<MaybeSentSum>(
    `SELECT count(*)::int AS emails, min(e.at) AS "from", max(e.at) AS "to" FROM ${IN_DOUBT} WHERE e.workspace_id = $1`,
    [workspaceId],
  )
  return rows[0] ?? { emails: 0, from: null, to: null }
}

/**
 * Whether ticks have still to move people on who were due when the hold began: until they have, the list above does not say
 * which emails these are. They do so while sending is held, whatever is paused or not connected, so that this ends.
 */
export async function isToMovePeople(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query<{ yes: boolean }>(
    `SELECT EXISTS (SELECT FROM server_sightings s JOIN scheduled_actions a ON ${MOVING_TYPES} AND a.status IN ('PENDING', 'RUNNING')
       AND a.due_at <= s.noticed_at WHERE s.lifted_at IS NULL AND s.reason <> 'FIRST') AS yes`,
  )
  return rows[0]?.yes ?? false
}

export const FIRST_MOVE_PEOPLE =
  'People in sequences that branch were due to move on. The next ticks move them, while sending stays held, and write down which emails of theirs may have been sent. After that sending can go on.'
