import { randomBytes } from 'node:crypto'
import { type ClaimedEmail, type Claimer, claimByIds, findDue } from '#lib/email-scheduler/claim.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'

export type TestCampaign = { workspaceId: string; mailboxId: string; campaignId: string; sequenceId: string }

/** A running campaign with a mailbox, in a workspace of its own. */
export async function makeCampaign(sql: Sql): Promise<TestCampaign> {
  const made = { workspaceId: newId(), mailboxId: newId(), campaignId: newId(), sequenceId: newId() }
  const { workspaceId, mailboxId, campaignId, sequenceId } = made
  await sql.query(`INSERT INTO workspaces (id, name) VALUES ($1, 'Acme')`, [workspaceId])
  await sql.query(
    `INSERT INTO mailboxes (id, workspace_id, address, kind, updated_at) VALUES ($1, $2, 'ann@acme.test', 'SMTP', app_now())`,
    [mailboxId, workspaceId],
  )
  await sql.query(`INSERT INTO sequences (id, workspace_id, name, updated_at) VALUES ($1, $2, 'Welcome', app_now())`, [
    sequenceId,
    workspaceId,
  ])
  await sql.query(
    `INSERT INTO campaigns (id, workspace_id, sequence_id, name, status, updated_at)
     VALUES ($1, $2, $3, 'Spring', 'RUNNING', app_now())`,
    [campaignId, workspaceId, sequenceId],
  )
  return made
}

export type TestEmail = { id: string; prospectId: string; stepNumber: number }

/** Prospects, enrolled, each with so many steps waiting; the first step is due now, the others wait for it. */
export async function makeEmails(sql: Sql, campaign: TestCampaign, prospects: number, steps = 1): Promise<TestEmail[]> {
  const prospectIds = Array.from({ length: prospects }, newId)
  await sql.query(
    `INSERT INTO prospects (id, workspace_id, email, email_hash, updated_at)
     SELECT id, $2, id || '@example.test', decode(replace(id::text, '-', ''), 'hex') || $3::bytea, app_now()
     FROM unnest($1::uuid[]) AS id`,
    [prospectIds, campaign.workspaceId, randomBytes(4)],
  )
  return makeEmailsFor(sql, campaign, [campaign.mailboxId], prospectIds, steps)
}

/** The same for prospects that are there, spread over the mailboxes. */
export async function makeEmailsFor(
  sql: Sql,
  campaign: Omit<TestCampaign, 'mailboxId'>,
  mailboxIds: readonly string[],
  prospectIds: readonly string[],
  steps: number,
): Promise<TestEmail[]> {
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
      id: newId(),
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
