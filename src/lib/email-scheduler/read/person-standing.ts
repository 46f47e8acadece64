import { ACTION_REASONS, type ActionReason } from '#lib/actions/reasons.ts'
import { suppressedProspects } from '#lib/audience/suppression/suppressed.ts'
import { coveredBeforeMerge } from '#lib/campaigns/covered.ts'
import { ENROLMENT_REASONS } from '#lib/campaigns/enrolment-reasons.ts'
import { WHY_LEFT } from '#lib/campaigns/journeys/journey.ts'
import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { missingFieldsSql, missingSentence } from '#lib/sequences/merge-fields.ts'
import { readFieldsNeeded } from '#lib/sequences/steps.ts'

/** What of a person decides what they would get of a sequence. */
export type PersonStanding = {
  /** Why nothing of it would be sent to them, in words. */
  refused: string | null
  /** They go through it already, or did: each step of a sequence is for each person once. */
  goesThrough: { campaignId: string; enrolmentId: string } | null
  notes: string[]
}

type Person = { left: ActionReason | null; isPaused: boolean; missing: string[] }

type Enrolled = {
  id: string
  campaignId: string
  campaign: string
  isPlanned: boolean
  reason: string | null
  isPaused: boolean
}

export async function readPersonStanding(
  sql: Sql,
  workspaceId: string,
  sequenceId: string,
  prospectId: string,
): Promise<PersonStanding> {
  const fields = await readFieldsNeeded(sql, sequenceId)
  const { rows } = await sql.query<Person>(
    `SELECT ${WHY_LEFT} AS left, p.paused_at IS NOT NULL AS "isPaused", ${missingFieldsSql('p', '$3::text[]')} AS missing
     FROM prospects p WHERE p.workspace_id = $1 AND p.id = $2`,
    [workspaceId, prospectId, fields],
  )
  const [person] = rows
  if (!person) throw notFound()
  const enrolled = await readEnrolment(sql, workspaceId, sequenceId, prospectId)
  const notes = notesOn(person, enrolled)
  if (enrolled?.isPlanned)
    return { refused: null, goesThrough: { campaignId: enrolled.campaignId, enrolmentId: enrolled.id }, notes }
  return { refused: await whyRefused(sql, workspaceId, sequenceId, prospectId, person), goesThrough: null, notes }
}

async function whyRefused(
  sql: Sql,
  workspaceId: string,
  sequenceId: string,
  prospectId: string,
  { left }: Person,
): Promise<string | null> {
  if (left) return nothingFor(ACTION_REASONS[left])
  const suppressed = await suppressedProspects(sql, workspaceId, [prospectId])
  if (suppressed.has(prospectId)) return nothingFor('The address or its domain is on the suppression list.')
  const covered = await coveredBeforeMerge(sql, sequenceId, [prospectId])
  return covered.has(prospectId) ? nothingFor(ENROLMENT_REASONS['covered-before-merge']) : null
}

const nothingFor = (why: string) => `${why} Nothing of this sequence would be sent to them.`

/** The campaign on this sequence that has planned them; where none has, the one that they joined last. */
async function readEnrolment(
  sql: Sql,
  workspaceId: string,
  sequenceId: string,
  prospectId: string,
): Promise<Enrolled | undefined> {
  const { rows } = await sql.query<Enrolled>(
    `SELECT cp.id, c.id AS "campaignId", c.name AS campaign, cp.planned_at IS NOT NULL AS "isPlanned", cp.reason,
       cp.paused_at IS NOT NULL AS "isPaused"
     FROM campaign_prospects cp JOIN campaigns c ON c.id = cp.campaign_id
     WHERE cp.workspace_id = $1 AND cp.prospect_id = $2 AND c.sequence_id = $3
     ORDER BY cp.planned_at IS NOT NULL DESC, cp.created_at DESC LIMIT 1`,
    [workspaceId, prospectId, sequenceId],
  )
  return rows[0]
}

function notesOn({ isPaused, missing }: Person, enrolled: Enrolled | undefined): string[] {
  const notes: string[] = []
  if (enrolled?.isPlanned)
    notes.push(
      `Is in the campaign “${enrolled.campaign}” already, and goes through the sequence as it was when they were planned: what is edited now is for those who come later.`,
    )
  else if (enrolled)
    notes.push(`Is in the campaign “${enrolled.campaign}”, and not planned. ${enrolled.reason ?? ''}`.trim())
  if (isPaused || enrolled?.isPaused) notes.push('Is paused: nothing is sent to them until a person resumes that.')
  if (missing.length > 0) notes.push(missingSentence(missing))
  return notes
}
