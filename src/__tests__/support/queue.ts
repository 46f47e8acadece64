import { randomBytes } from 'node:crypto'
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
  const people = Array.from({ length: prospects }, () => ({ prospectId: newId(), enrolmentId: newId() }))
  await sql.query(
    `INSERT INTO prospects (id, workspace_id, email, email_hash, updated_at)
     SELECT id, $2, id || '@example.test', decode(replace(id::text, '-', ''), 'hex') || $3::bytea, app_now()
     FROM unnest($1::uuid[]) AS id`,
    [people.map(({ prospectId }) => prospectId), campaign.workspaceId, randomBytes(4)],
  )
  await sql.query(
    `INSERT INTO campaign_prospects (id, workspace_id, campaign_id, prospect_id, state, planned_at)
     SELECT p.enrolment, $3, $4, p.prospect, 'ACTIVE', app_now() FROM unnest($1::uuid[], $2::uuid[]) AS p(enrolment, prospect)`,
    [
      people.map(({ enrolmentId }) => enrolmentId),
      people.map(({ prospectId }) => prospectId),
      campaign.workspaceId,
      campaign.campaignId,
    ],
  )
  const emails = people.flatMap(({ prospectId, enrolmentId }) =>
    Array.from({ length: steps }, (_, index) => ({ id: newId(), prospectId, enrolmentId, stepNumber: index + 1 })),
  )
  await sql.query(
    `INSERT INTO scheduled_emails (id, workspace_id, campaign_id, campaign_prospect_id, prospect_id, sequence_id,
       step_number, mailbox_id, idempotency_key, scheduled_for, local_date, ready_at, updated_at)
     SELECT e.id, $5, $6, e.enrolment, e.prospect, $7, e.step, $8, e.prospect || ':' || $7::uuid || ':' || e.step,
       app_now(), '2026-01-01', CASE WHEN e.step = 1 THEN app_now() END, app_now()
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[]) AS e(id, enrolment, prospect, step)`,
    [
      emails.map(({ id }) => id),
      emails.map(({ enrolmentId }) => enrolmentId),
      emails.map(({ prospectId }) => prospectId),
      emails.map(({ stepNumber }) => stepNumber),
      campaign.workspaceId,
      campaign.campaignId,
      campaign.sequenceId,
      campaign.mailboxId,
    ],
  )
  return emails.map(({ id, prospectId, stepNumber }) => ({ id, prospectId, stepNumber }))
}
