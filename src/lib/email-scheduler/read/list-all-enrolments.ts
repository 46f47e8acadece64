import { findProspectIds } from '#lib/audience/find-prospects.ts'
import { ENROLMENT_STATES, PLANNED_STATES } from '#lib/campaigns/ledger.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { CampaignStatus, EnrolmentState } from '#lib/platform/generated/enums.ts'
import {
  type CampaignEnrolment,
  type EnrolmentFilter,
  FIRST_ID,
  PEOPLE_MAX,
  readEnrolments,
} from './list-enrolments.ts'

type EnrolmentSomewhere = CampaignEnrolment & {
  campaign: { id: string; name: string; status: CampaignStatus; sequenceId: string; archivedAt: Date | null }
}

export type EnrolmentsPage = { enrolments: EnrolmentSomewhere[]; nextCursor: string | null; searchIsCut: boolean }

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Behind an enrolment ($2) of the workspace ($1), or at the start: campaigns from the newest, in each as people came. */
const PLACE = `SELECT coalesce((SELECT campaign_id FROM campaign_prospects WHERE id = $2 AND workspace_id = $1), '${LAST_ID}'::uuid) AS campaign_id`

/** Of a campaign `c`: it sends the sequence that is asked for ($5), if one is. */
const OF_SEQUENCE = '($5::uuid IS NULL OR c.sequence_id = $5)'

/**
 * Campaign after campaign, each state by itself through the index that their ledgers are counted with: as soon as a page is
 * full, no further campaign is asked. So this needs no index of its own, which every enrolment and every email would write.
 */
export const PAGE_OF_ALL = `WITH place AS MATERIALIZED (${PLACE})
  SELECT page.id FROM (
    SELECT c.id, CASE WHEN c.id = (SELECT campaign_id FROM place) THEN $2::uuid ELSE '${FIRST_ID}' END AS after
    FROM campaigns c WHERE c.workspace_id = $1 AND c.id <= (SELECT campaign_id FROM place) AND ${OF_SEQUENCE} ORDER BY c.id DESC) c
  CROSS JOIN LATERAL (
    SELECT one.id FROM unnest($4::enrolment_state[]) AS wanted(state) CROSS JOIN LATERAL (
      SELECT id FROM campaign_prospects WHERE campaign_id = c.id AND state = wanted.state AND id > c.after ORDER BY id LIMIT $3) one
    ORDER BY one.id LIMIT $3) page
  ORDER BY c.id DESC, page.id LIMIT $3`

const PAGE_OF_FOUND = `WITH place AS MATERIALIZED (${PLACE})
  SELECT cp.id FROM campaign_prospects cp JOIN campaigns c ON c.id = cp.campaign_id, place
  WHERE cp.workspace_id = $1 AND cp.prospect_id = ANY($6::uuid[]) AND ${OF_SEQUENCE} AND cp.state = ANY($4::enrolment_state[])
    AND (cp.campaign_id < place.campaign_id OR (cp.campaign_id = place.campaign_id AND cp.id > $2::uuid))
  ORDER BY cp.campaign_id DESC, cp.id LIMIT $3`

type Filter = Pick<EnrolmentFilter, 'state' | 'search'> & {
  /** Of its campaigns alone, and of those only whom they have planned: as the list of sequences counts people. */
  sequenceId?: string | undefined
}

/** Who is in any campaign of the workspace: what the ledger of all campaigns counts, by state. */
export async function listAllEnrolments(
  sql: Sql,
  workspaceId: string,
  { state, search, sequenceId }: Filter,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<EnrolmentsPage> {
  const people = search && (await findProspectIds(sql, workspaceId, search.text, PEOPLE_MAX + 1, search.hash))
  const all: readonly EnrolmentState[] = sequenceId ? PLANNED_STATES : ENROLMENT_STATES
  const states = state ? all.filter((one) => one === state) : all
  const { rows } = await sql.query<{ id: string }>(people ? PAGE_OF_FOUND : PAGE_OF_ALL, [
    workspaceId,
    cursor ?? null,
    limit + 1,
    states,
    sequenceId ?? null,
    ...(people ? [people.slice(0, PEOPLE_MAX)] : []),
  ])
  const ids = rows.slice(0, limit).map(({ id }) => id)
  return {
    enrolments: await readInOrder(sql, ids),
    nextCursor: rows.length > limit ? (ids.at(-1) ?? null) : null,
    searchIsCut: people !== undefined && people.length > PEOPLE_MAX,
  }
}

async function readInOrder(sql: Sql, ids: readonly string[]): Promise<EnrolmentSomewhere[]> {
  const { rows } = await sql.query<EnrolmentSomewhere['campaign'] & { enrolmentId: string }>(
    `SELECT cp.id AS "enrolmentId", c.id, c.name, c.status, c.sequence_id AS "sequenceId", c.archived_at AS "archivedAt"
     FROM campaign_prospects cp JOIN campaigns c ON c.id = cp.campaign_id WHERE cp.id = ANY($1::uuid[])`,
    [ids],
  )
  const campaigns = new Map(rows.map(({ enrolmentId, ...campaign }) => [enrolmentId, campaign]))
  const enrolments = new Map((await readEnrolments(sql, ids)).map((enrolment) => [enrolment.id, enrolment]))
  return ids.flatMap((id) => {
    const [enrolment, campaign] = [enrolments.get(id), campaigns.get(id)]
    return enrolment && campaign ? [{ ...enrolment, campaign }] : []
  })
}
