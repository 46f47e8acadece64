import { type Campaign, findCampaign } from '#lib/campaigns/campaign.ts'
import { type Ledger, readLedger } from '#lib/campaigns/ledger.ts'
import { CAMPAIGN_STATES } from '#lib/campaigns/life.ts'
import { findProblems } from '#lib/campaigns/problems.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { loadSequence } from '#lib/sequences/sequence.ts'
import { explainWhyNotNow, type WhyNotNowAnswer } from './why-not-now.ts'

/** What keeps a campaign as a whole from going on, in words; or what a person should know of it. */
export type CampaignFinding = { code: string; sentence: string }

export type WaitingEmail = {
  id: string
  prospectId: string
  prospect: string | null
  stepNumber: number
  /** The guard that parked it, where one has. */
  parkedBy: string | null
  /** It lost its place, and the next tick gives it another before it can go. */
  waitsForReplan: boolean
  why: WhyNotNowAnswer
}

export type Diagnosis = Pick<Campaign, 'status' | 'scheduledAt'> & {
  findings: CampaignFinding[]
  emails: WaitingEmail[]
}

type Ask = {
  /** One email of the campaign; else the first few that wait. */
  emailId?: string | undefined
  limit: number
  /** Whether the cron comes: the worker's to say. */
  lastTick: { ok: boolean; sentence: string }
}

/** Why has nothing, or why has this one not, gone out? Everything at once, for the campaign and for its emails. */
export async function diagnoseCampaign(
  sql: Sql,
  workspaceId: string,
  campaignId: string,
  { emailId, limit, lastTick }: Ask,
): Promise<Diagnosis> {
  const campaign = await findCampaign(sql, workspaceId, campaignId)
  const findings = await findingsOf(sql, campaign, lastTick)
  const emails = emailId ? [await readOne(sql, campaign, emailId)] : await readFirstWaiting(sql, campaign, limit)
  const explained: WaitingEmail[] = []
  for (const email of emails) explained.push({ ...email, why: await explainWhyNotNow(sql, workspaceId, email.id) })
  return { status: campaign.status, scheduledAt: campaign.scheduledAt, findings, emails: explained }
}

async function findingsOf(sql: Sql, campaign: Campaign, lastTick: Ask['lastTick']): Promise<CampaignFinding[]> {
  const findings: CampaignFinding[] = []
  const { status } = campaign
  const { name, sentence } = CAMPAIGN_STATES[status]
  if (status !== 'RUNNING')
    findings.push({ code: `campaign-${status.toLowerCase()}`, sentence: `The campaign is “${name}”. ${sentence}` })
  if (status === 'STOPPED') return findings
  if (!lastTick.ok) findings.push({ code: 'no-tick', sentence: lastTick.sentence })
  const ledger = await readLedger(sql, campaign.id)
  const sequence = await loadSequence(sql, campaign.workspaceId, campaign.sequenceId).catch(() => undefined)
  const problems = sequence ? await findProblems(sql, campaign, sequence) : []
  findings.push(...problems, ...findingsOfLedger(campaign, ledger))
  return findings
}

function findingsOfLedger({ status }: Campaign, { enrolments, emails }: Ledger): CampaignFinding[] {
  const findings: CampaignFinding[] = []
  const tell = (count: number, code: string, [one, many]: [string, string], then: string) => {
    const words = `${count.toLocaleString('en')} ${count === 1 ? one : many}`
    if (count > 0) findings.push({ code, sentence: `${words}; ${then}.` })
  }
  const people = (is: string, are: string): [string, string] => [`person ${is}`, `people ${are}`]
  const mails = (is: string, are: string): [string, string] => [`email ${is}`, `emails ${are}`]
  if (status === 'RUNNING')
    tell(enrolments.PENDING, 'not-planned', people('is not planned yet', 'are not planned yet'), 'the next ticks go on')
  tell(
    enrolments.BLOCKED,
    'blocked',
    people('lacks a field', 'lack a field'),
    'fill it in, or give the text a fallback',
  )
  tell(enrolments.SKIPPED, 'skipped', people('was skipped', 'were skipped'), 'the list of people says why')
  tell(
    emails.OUTCOME_UNKNOWN,
    'unknown',
    mails('has an unknown outcome', 'have an unknown outcome'),
    'what follows waits until that is settled',
  )
  tell(
    emails.PERMANENTLY_FAILED,
    'failed',
    mails('failed for good', 'failed for good'),
    'an admin may retry or dismiss',
  )
  return findings
}

type Row = Omit<WaitingEmail, 'why'>

const COLUMNS = `e.id, e.prospect_id AS "prospectId", p.email AS prospect, e.step_number AS "stepNumber", e.blocker AS "parkedBy",
  e.status = 'SCHEDULED' AND e.plan_version < coalesce((SELECT version FROM workspace_plans w WHERE w.workspace_id = e.workspace_id), 0)
    AS "waitsForReplan"`

async function readOne(sql: Sql, { id, workspaceId }: Campaign, emailId: string): Promise<Row> {
  const { rows } = await sql.query<Row>(
    `SELECT ${COLUMNS} FROM scheduled_emails e JOIN prospects p ON p.id = e.prospect_id
     WHERE e.workspace_id = $1 AND e.campaign_id = $2 AND e.id = $3`,
    [workspaceId, id, emailId],
  )
  if (!rows[0]) throw notFound()
  return rows[0]
}

/** How many of those planned first are looked at for the ones that should go first: bounded, however large the campaign. */
const LOOKED_AT = 200

const WAITING: readonly ScheduledEmailStatus[] = ['RETRY_SCHEDULED', 'SCHEDULED']

/** The state stands in the statement itself, so that its index is read also where nothing is in it (list-emails.ts). */
const firstOf = (status: ScheduledEmailStatus) =>
  `(SELECT * FROM scheduled_emails WHERE campaign_id = $1 AND status = '${status}' ORDER BY id LIMIT ${LOOKED_AT})`

async function readFirstWaiting(sql: Sql, { id }: Campaign, limit: number): Promise<Row[]> {
  const { rows } = await sql.query<Row>(
    `SELECT ${COLUMNS} FROM (${WAITING.map(firstOf).join(' UNION ALL ')}) e JOIN prospects p ON p.id = e.prospect_id
     ORDER BY coalesce(e.next_retry_at, e.scheduled_for), e.id LIMIT $2`,
    [id, limit],
  )
  return rows
}
