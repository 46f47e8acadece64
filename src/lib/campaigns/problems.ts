import { hasSendingDay } from '#lib/guardrails/settings.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { GraphProblem } from '#lib/sequences/graph/graph-problems.ts'
import type { SequenceWithSteps, StepProblem } from '#lib/sequences/sequence.ts'
import type { Campaign } from './campaign.ts'
import { COVERED_REASONS } from './enrolment-reasons.ts'
import { referenceProblems } from './journeys/graph-references.ts'

export type LaunchProblem = {
  code:
    | 'no-prospects'
    | 'all-covered'
    | 'empty-sequence'
    | 'invalid-texts'
    | 'invalid-branches'
    | 'no-mailbox'
    | 'chosen-mailboxes'
    | 'no-settings'
    | 'no-sending-day'
    | 'no-postal-address'
  sentence: string
  /** Of the texts: where. */
  places?: StepProblem[]
  /** Of the branches: where. */
  nodes?: GraphProblem[]
}

type Facts = {
  enrolled: boolean
  wanted: boolean
  hasPlanned: boolean
  hasUncovered: boolean
  hasCovered: boolean
  mailbox: boolean
  chosenMailbox: boolean
  days: number[] | null
  address: string | null
}

/** All that keeps a campaign from being launched, at once. */
export async function findProblems(
  sql: Sql,
  campaign: Pick<Campaign, 'id' | 'workspaceId' | 'sequenceId'>,
  sequence: Pick<SequenceWithSteps, 'steps' | 'problems' | 'graph' | 'graphProblems'>,
): Promise<LaunchProblem[]> {
  const { rows } = await sql.query<Facts>(
    `SELECT EXISTS (SELECT FROM campaign_prospects WHERE campaign_id = $2) AS enrolled,
       EXISTS (SELECT FROM campaign_prospects WHERE campaign_id = $2 AND state IN ('ACTIVE', 'FINISHED')) AS "hasPlanned",
       EXISTS (SELECT FROM campaign_prospects cp WHERE cp.campaign_id = $2 AND cp.state IN ('PENDING', 'BLOCKED')) AS wanted,
       EXISTS (SELECT FROM campaign_prospects cp WHERE cp.campaign_id = $2 AND cp.state IN ('PENDING', 'BLOCKED')
         AND NOT EXISTS (SELECT FROM campaign_prospects o JOIN campaigns c ON c.id = o.campaign_id
           WHERE o.prospect_id = cp.prospect_id AND o.planned_at IS NOT NULL AND c.sequence_id = $3 AND c.id <> $2)) AS "hasUncovered",
       EXISTS (SELECT FROM campaign_prospects WHERE campaign_id = $2 AND state = 'SKIPPED' AND reason_code = ANY($4::text[])) AS "hasCovered",
       EXISTS (SELECT FROM mailboxes m WHERE m.workspace_id = $1 AND m.status = 'CONNECTED') AS mailbox,
       EXISTS (SELECT FROM mailboxes m, campaigns c WHERE m.workspace_id = $1 AND m.status = 'CONNECTED' AND c.id = $2
         AND (c.mailbox_ids = '{}' OR m.id = ANY(c.mailbox_ids))) AS "chosenMailbox",
       (SELECT sending_days FROM sending_settings WHERE workspace_id = $1) AS days,
       (SELECT postal_address FROM sending_settings WHERE workspace_id = $1) AS address`,
    [campaign.workspaceId, campaign.id, campaign.sequenceId, COVERED_REASONS],
  )
  const facts = rows[0]
  if (!facts) return []
  const problems: LaunchProblem[] = []
  const refuse = (code: LaunchProblem['code'], sentence: string) => problems.push({ code, sentence })
  if (!facts.enrolled) refuse('no-prospects', 'Nobody is enrolled; add people.')
  else if (!facts.hasUncovered && !facts.hasPlanned)
    refuse(
      'all-covered',
      facts.wanted || facts.hasCovered
        ? 'Everybody who is enrolled has a place in this sequence by another campaign already, and nobody gets a step twice. Add other people, or choose another sequence.'
        : 'Everybody who is enrolled was skipped; see why in the list of people, and add others.',
    )
  if (sequence.steps.length === 0) refuse('empty-sequence', 'The sequence has no steps; write at least one.')
  if (sequence.problems.length > 0)
    problems.push({
      code: 'invalid-texts',
      sentence: sequence.problems.map(({ stepNumber, sentence }) => `Step ${stepNumber}: ${sentence}`).join(' '),
      places: sequence.problems,
    })
  const inGraph = sequence.graph
    ? [
        ...sequence.graphProblems,
        ...(await referenceProblems(sql, campaign.workspaceId, campaign.sequenceId, sequence.graph)),
      ]
    : []
  if (inGraph.length > 0)
    problems.push({
      code: 'invalid-branches',
      sentence: inGraph.map(({ sentence }) => sentence).join(' '),
      nodes: inGraph,
    })
  if (!facts.mailbox) refuse('no-mailbox', 'No mailbox is connected; connect one to send from.')
  else if (!facts.chosenMailbox)
    refuse('chosen-mailboxes', 'None of the chosen mailboxes is connected; connect one of them, or choose others.')
  if (facts.days === null) refuse('no-settings', 'The workspace has no sending settings; save them first.')
  else if (!hasSendingDay({ sendingDays: facts.days }))
    refuse('no-sending-day', 'The sending window has no day of the week, so it never opens; choose at least one.')
  if ((facts.address ?? '').trim() === '')
    refuse('no-postal-address', 'The workspace has no postal address, which every campaign email must show; enter it.')
  return problems
}
