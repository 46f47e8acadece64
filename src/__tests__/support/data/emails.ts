import type pg from 'pg'
import { type ClaimedEmail, type Claimer, claimByIds, findDue } from '#lib/email-scheduler/send/claim.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { type CampaignWanted, makeCampaign, type TestCampaign } from './campaigns.ts'
import { makeProspects } from './prospects.ts'

export type TestEmail = { id: string; prospectId: string; stepNumber: number }

/**
 * The given number of prospects, or those that are named, are enrolled and have every step waiting, spread over the campaign's
 * mailboxes; the first step is due now, the others wait for it.
 */
export async function makeEmails(
  sql: Sql,
  campaign: Omit<TestCampaign, 'mailboxId'>,
  prospects: number | readonly string[],
  steps = 1,
  ids: readonly string[] = [],
): Promise<TestEmail[]> {
  const { workspaceId, mailboxIds } = campaign
  const prospectIds = typeof prospects === 'number' ? await makeProspects(sql, workspaceId, prospects) : prospects
  const people = prospectIds.map((prospectId) => ({ prospectId, enrolmentId: newId() }))
  await sql.query(
    `INSERT INTO campaign_prospects (id, workspace_id, campaign_id, prospect_id, state, planned_at, planned_steps)
     SELECT p.enrolment, $3, $4, p.prospect, 'ACTIVE', app_now(), $5 FROM unnest($1::uuid[], $2::uuid[]) AS p(enrolment, prospect)`,
    [
      people.map(({ enrolmentId }) => enrolmentId),
      people.map(({ prospectId }) => prospectId),
      campaign.workspaceId,
      campaign.campaignId,
      steps,
    ],
  )
  const emails = people.flatMap(({ prospectId, enrolmentId }, person) =>
    Array.from({ length: steps }, (_, index) => ({
      id: ids[person * steps + index] ?? newId(),
      prospectId,
      enrolmentId,
      stepNumber: index + 1,
      mailboxId: mailboxIds[person % mailboxIds.length],
    })),
  )
  await sql.query(
    `INSERT INTO scheduled_emails (id, workspace_id, campaign_id, campaign_prospect_id, prospect_id, sequence_id,
       step_number, mailbox_id, idempotency_key, scheduled_for, local_date, ready_at, updated_at)
     SELECT e.id, $6, $7, e.enrolment, e.prospect, $8, e.step, e.mailbox, e.prospect || ':' || $8::uuid || ':' || e.step,
       app_now(), '2026-01-01', CASE WHEN e.step = 1 THEN app_now() END, app_now()
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::uuid[]) AS e(id, enrolment, prospect, step, mailbox)`,
    [
      emails.map(({ id }) => id),
      emails.map(({ enrolmentId }) => enrolmentId),
      emails.map(({ prospectId }) => prospectId),
      emails.map(({ stepNumber }) => stepNumber),
      emails.map(({ mailboxId }) => mailboxId),
      campaign.workspaceId,
      campaign.campaignId,
      campaign.sequenceId,
    ],
  )
  return emails.map(({ id, prospectId, stepNumber }) => ({ id, prospectId, stepNumber }))
}

export type DueCampaign = TestCampaign & { emails: TestEmail[] }

/** A running campaign with people in it, whose first steps are due now. */
export async function makeDueCampaign(
  pool: pg.Pool,
  { prospects = 5, delays = [0], ...wanted }: CampaignWanted & { prospects?: number } = {},
): Promise<DueCampaign> {
  return inTransaction(pool, async (tx) => {
    const campaign = await makeCampaign(tx, { delays, ...wanted })
    return { ...campaign, emails: await makeEmails(tx, campaign, prospects, delays.length) }
  })
}

/** What is due at a mailbox, claimed without asking for its quota or pace: for tests of what comes after. */
export async function claimDue(
  sql: Sql,
  { mailboxId, workspaceId }: Pick<TestCampaign, 'mailboxId' | 'workspaceId'>,
  limit: number,
  by: Claimer,
): Promise<ClaimedEmail[]> {
  const due = await findDue(sql, { id: mailboxId, workspaceId, lastCampaignId: null }, limit)
  return claimByIds(
    sql,
    due.map(({ id }) => id),
    by,
  )
}

export async function statusesOf(pool: pg.Pool, campaignId: string): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; count: number }>(
    'SELECT status, count(*)::int FROM scheduled_emails WHERE campaign_id = $1 GROUP BY 1',
    [campaignId],
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}
