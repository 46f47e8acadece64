import { hasSendingDay } from '#lib/guardrails/settings.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { SequenceWithSteps, StepProblem } from '#lib/sequences/sequence.ts'
import type { Campaign } from './campaign.ts'

export type LaunchProblem = {
  code:
    | 'no-prospects'
    | 'empty-sequence'
    | 'invalid-texts'
    | 'no-mailbox'
    | 'no-settings'
    | 'no-sending-day'
    | 'no-postal-address'
  sentence: string
  /** Of the texts: where. */
  places?: StepProblem[]
}

type Facts = { enrolled: boolean; mailbox: boolean; days: number[] | null; address: string | null }

/** All that keeps a campaign from being launched, at once. */
export async function findProblems(
  sql: Sql,
  campaign: Pick<Campaign, 'id' | 'workspaceId'>,
  sequence: Pick<SequenceWithSteps, 'steps' | 'problems'>,
): Promise<LaunchProblem[]> {
  const { rows } = await sql.query<Facts>(
    `SELECT EXISTS (SELECT FROM campaign_prospects WHERE campaign_id = $2 AND state IN ('PENDING', 'BLOCKED')) AS enrolled,
       EXISTS (SELECT FROM mailboxes WHERE workspace_id = $1 AND status = 'CONNECTED') AS mailbox,
       (SELECT sending_days FROM sending_settings WHERE workspace_id = $1) AS days,
       (SELECT postal_address FROM sending_settings WHERE workspace_id = $1) AS address`,
    [campaign.workspaceId, campaign.id],
  )
  const facts = rows[0]
  if (!facts) return []
  const problems: LaunchProblem[] = []
  const refuse = (code: LaunchProblem['code'], sentence: string) => problems.push({ code, sentence })
  if (!facts.enrolled) refuse('no-prospects', 'Nobody is enrolled; add prospects.')
  if (sequence.steps.length === 0) refuse('empty-sequence', 'The sequence has no steps; write at least one.')
  if (sequence.problems.length > 0)
    problems.push({
      code: 'invalid-texts',
      sentence: sequence.problems.map(({ stepNumber, sentence }) => `Step ${stepNumber}: ${sentence}`).join(' '),
      places: sequence.problems,
    })
  if (!facts.mailbox) refuse('no-mailbox', 'No mailbox is connected; connect one to send from.')
  if (facts.days === null) refuse('no-settings', 'The workspace has no sending settings; save them first.')
  else if (!hasSendingDay({ sendingDays: facts.days }))
    refuse('no-sending-day', 'The sending window has no day of the week, so it never opens; choose at least one.')
  if ((facts.address ?? '').trim() === '')
    refuse('no-postal-address', 'The workspace has no postal address, which every campaign email must show; enter it.')
  return problems
}
