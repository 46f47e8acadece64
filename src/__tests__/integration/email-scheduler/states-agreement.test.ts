import { beforeAll, describe, expect, test } from 'vitest'
import { mayBecome, type ScheduledEmailStatus, STATUSES } from '#lib/email-scheduler/states.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
let campaign: TestCampaign

beforeAll(async () => {
  campaign = await makeCampaign(db.pool)
})

/** The columns that belong to each state, for a row that was never handed over unless the state says so. */
const FITTING: Record<ScheduledEmailStatus, string> = {
  SCHEDULED: `next_retry_at = NULL`,
  SENDING: `lease_token = lease_token + 1, leased_by = 'w', leased_at = app_now(), lease_until = app_now()`,
  SENT: `sent_at = app_now()`,
  FAILED: `last_error = 'refused'`,
  RETRY_SCHEDULED: `next_retry_at = app_now()`,
  OUTCOME_UNKNOWN: `lease_token = greatest(lease_token, 1), marked_token = greatest(lease_token, 1), submit_started_at = app_now()`,
  PERMANENTLY_FAILED: `last_error = 'refused'`,
  CANCELLED: `cancelled_at = app_now(), cancel_reason = 'BY_PERSON'`,
}
const CLEARED = [
  'lease_until = NULL',
  'leased_by = NULL',
  'leased_at = NULL',
  'sent_at = NULL',
  'next_retry_at = NULL',
  'cancelled_at = NULL',
  'cancel_reason = NULL',
]

/** Everything that belongs to other states cleared, and what belongs to this one set. */
function become(status: ScheduledEmailStatus): string {
  const fitting = FITTING[status]
  const cleared = CLEARED.filter((clearing) => !fitting.includes(`${clearing.split(' ')[0]} =`))
  return `UPDATE scheduled_emails SET status = '${status}', ${[fitting, ...cleared].join(', ')} WHERE id = $1`
}

/** Puts a new row into a state past the arrows, the only way that is: with the triggers off. */
async function emailIn(tx: Sql, status: ScheduledEmailStatus): Promise<string> {
  const [email] = await makeEmails(tx, campaign, 1)
  if (!email) throw new Error('no email was made')
  await tx.query('SET LOCAL session_replication_role = replica')
  await tx.query(become(status), [email.id])
  await tx.query('SET LOCAL session_replication_role = origin')
  return email.id
}

class Undo extends Error {}

/** What Postgres says to a change of a row in that state: the name of what refused it, or 'allowed'. */
async function tryOn(status: ScheduledEmailStatus, sql: string, params: unknown[] = []): Promise<string> {
  let answer = 'allowed'
  await inTransaction(db.pool, async (tx) => {
    const id = await emailIn(tx, status)
    await tx.query(sql, [id, ...params]).catch((error: { constraint?: string; message: string }) => {
      answer = error.constraint ?? error.message
    })
    throw new Undo()
  }).catch((error) => {
    if (!(error instanceof Undo)) throw error
  })
  return answer
}

describe('the table of transitions and the database agree', () => {
  const pairs = STATUSES.flatMap((from) => STATUSES.filter((to) => to !== from).map((to) => [from, to] as const))

  test.each(pairs)('%s → %s', async (from, to) => {
    // OUTCOME_UNKNOWN carries a mark, and nothing that carries one may be SCHEDULED: the arrow must refuse it first.
    expect(await tryOn(from, become(to))).toBe(mayBecome(from, to) ? 'allowed' : 'scheduled_emails_arrow')
  })

  test.each(STATUSES)('%s may be written again without moving', async (status) => {
    expect(
      await tryOn(status, `UPDATE scheduled_emails SET status = '${status}', jitter_seconds = 5 WHERE id = $1`),
    ).toBe('allowed')
  })
})

test('SENT is final even where columns fit', async () => {
  for (const to of STATUSES.filter((status) => status !== 'SENT'))
    expect(await tryOn('SENT', become(to))).toBe('scheduled_emails_arrow')
})

test('a cancelled email that was once handed over cannot be taken back', async () => {
  const marked = `UPDATE scheduled_emails SET lease_token = 1, marked_token = 1, submit_started_at = app_now() WHERE id = $1`
  const answer = await inTransaction(db.pool, async (tx) => {
    const id = await emailIn(tx, 'CANCELLED')
    await tx.query(marked, [id])
    return tx.query(become('SCHEDULED'), [id])
  }).catch((error: { constraint?: string }) => error.constraint)
  expect(answer).toBe('scheduled_emails_arrow')
})

test('FAILED is passed through: a transaction that leaves an email there does not commit', async () => {
  const [email] = await makeEmails(db.pool, campaign, 1)
  await db.pool.query(become('SENDING'), [email?.id])
  await expect(db.pool.query(become('FAILED'), [email?.id])).rejects.toMatchObject({
    constraint: 'scheduled_emails_verdict',
  })
})

describe('columns belong to states', () => {
  const set = (assignments: string) => `UPDATE scheduled_emails SET ${assignments} WHERE id = $1`
  const otherId = newId()
  test.each<[string, ScheduledEmailStatus, string, string]>([
    ['SENT has sent_at', 'SENT', 'sent_at = NULL', 'scheduled_emails_sent_check'],
    ['only SENT has sent_at', 'SCHEDULED', 'sent_at = app_now()', 'scheduled_emails_sent_check'],
    ['SENDING has lease_until', 'SENDING', 'lease_until = NULL', 'scheduled_emails_lease_check'],
    ['SENDING has leased_by', 'SENDING', 'leased_by = NULL', 'scheduled_emails_lease_check'],
    ['SENDING has leased_at', 'SENDING', 'leased_at = NULL', 'scheduled_emails_lease_check'],
    ['only SENDING has a lease', 'SCHEDULED', `lease_until = app_now()`, 'scheduled_emails_lease_check'],
    ['RETRY_SCHEDULED has next_retry_at', 'RETRY_SCHEDULED', 'next_retry_at = NULL', 'scheduled_emails_retry_check'],
    ['SCHEDULED has no next_retry_at', 'SCHEDULED', 'next_retry_at = app_now()', 'scheduled_emails_retry_check'],
    [
      'SCHEDULED was never handed over',
      'SCHEDULED',
      'lease_token = 1, marked_token = 1, submit_started_at = app_now()',
      'scheduled_emails_unmarked_check',
    ],
    ['OUTCOME_UNKNOWN is of the last lease', 'OUTCOME_UNKNOWN', 'lease_token = 2', 'scheduled_emails_unknown_check'],
    ['CANCELLED has a reason', 'CANCELLED', 'cancel_reason = NULL', 'scheduled_emails_cancelled_check'],
    ['CANCELLED has a time', 'CANCELLED', 'cancelled_at = NULL', 'scheduled_emails_cancelled_check'],
    ['only CANCELLED has a reason', 'SENT', `cancel_reason = 'BY_PERSON'`, 'scheduled_emails_cancelled_check'],
    [
      'only what failed for good is dismissed',
      'CANCELLED',
      'dismissed_at = app_now()',
      'scheduled_emails_dismissed_check',
    ],
    ['attempts are counted from 0', 'SCHEDULED', 'attempts = -1', 'scheduled_emails_tokens_check'],
    [
      'a mark names a lease that was given out',
      'CANCELLED',
      'marked_token = 1, submit_started_at = app_now()',
      'scheduled_emails_tokens_check',
    ],
    ['a mark has its time', 'CANCELLED', 'lease_token = 1, marked_token = 1', 'scheduled_emails_tokens_check'],
    ['what was accepted was marked', 'CANCELLED', 'accepted_token = 1', 'scheduled_emails_tokens_check'],
    ['a lease token never falls', 'SENDING', 'lease_token = 0', 'scheduled_emails_fence'],
    [
      'a mark is never taken back',
      'OUTCOME_UNKNOWN',
      'marked_token = NULL, submit_started_at = NULL',
      'scheduled_emails_fence',
    ],
    ['its workspace never changes', 'SCHEDULED', `workspace_id = '${otherId}'`, 'scheduled_emails_identity'],
    ['its prospect never changes', 'SCHEDULED', `prospect_id = '${otherId}'`, 'scheduled_emails_identity'],
    ['its sequence never changes', 'SCHEDULED', `sequence_id = '${otherId}'`, 'scheduled_emails_identity'],
    ['its campaign never changes', 'SCHEDULED', `campaign_id = '${otherId}'`, 'scheduled_emails_identity'],
    ['its enrolment never changes', 'SCHEDULED', `campaign_prospect_id = '${otherId}'`, 'scheduled_emails_identity'],
    ['its step never changes', 'SCHEDULED', 'step_number = 2', 'scheduled_emails_identity'],
    ['its kind never changes', 'SCHEDULED', `kind = 'TRANSACTIONAL'`, 'scheduled_emails_identity'],
    ['its key never changes', 'SCHEDULED', `idempotency_key = idempotency_key || '0'`, 'scheduled_emails_identity'],
  ])('%s', async (_name, status, assignments, refusedBy) => {
    expect(await tryOn(status, set(assignments))).toBe(refusedBy)
  })

  test('what a provider accepted is never marked again', async () => {
    const answer = await tryOn('OUTCOME_UNKNOWN', 'UPDATE scheduled_emails SET accepted_token = 1 WHERE id = $1')
    expect(answer).toBe('allowed')
    const refused = await inTransaction(db.pool, async (tx) => {
      const id = await emailIn(tx, 'OUTCOME_UNKNOWN')
      await tx.query('UPDATE scheduled_emails SET accepted_token = 1 WHERE id = $1', [id])
      await tx.query(become('RETRY_SCHEDULED'), [id])
      await tx.query(become('SENDING'), [id])
      await tx.query('UPDATE scheduled_emails SET marked_token = lease_token WHERE id = $1', [id])
    }).catch((error: { constraint?: string }) => error.constraint)
    expect(refused).toBe('scheduled_emails_fence')
  })
})

describe('a key has the form of its kind', () => {
  const insert = (columns: Record<string, string | number | null>) => {
    const all: Record<string, string | number | null> = {
      id: newId(),
      workspace_id: campaign.workspaceId,
      mailbox_id: campaign.mailboxId,
      scheduled_for: '2026-01-01',
      local_date: '2026-01-01',
      updated_at: '2026-01-01',
      ...columns,
    }
    const names = Object.keys(all)
    return db.pool
      .query(
        `INSERT INTO scheduled_emails (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
        Object.values(all),
      )
      .then(() => 'allowed')
      .catch((error: { constraint?: string; message: string }) => error.constraint ?? error.message)
  }

  test('transactional', async () => {
    const hash = 'a'.repeat(64)
    const key = (text: string) => insert({ kind: 'TRANSACTIONAL', idempotency_key: text })
    expect(await key(`tx:${campaign.workspaceId}:${hash}`)).toBe('allowed')
    expect(await key(`tx:${newId()}:${hash}`)).toBe('scheduled_emails_kind_check')
    expect(await key(`tx:${campaign.workspaceId}:${hash}b`)).toBe('scheduled_emails_kind_check')
    expect(await key(`tx:${campaign.workspaceId}:welcome`)).toBe('scheduled_emails_kind_check')
  })

  test('campaign', async () => {
    const prospectId = newId()
    expect(await insert({ kind: 'CAMPAIGN', idempotency_key: `${prospectId}:${campaign.sequenceId}:1` })).toBe(
      'scheduled_emails_kind_check',
    )
    const [email] = await makeEmails(db.pool, campaign, 1)
    const { rows } = await db.pool.query<{ campaign_prospect_id: string }>(
      'SELECT campaign_prospect_id FROM scheduled_emails WHERE id = $1',
      [email?.id],
    )
    const whole = {
      campaign_id: campaign.campaignId,
      campaign_prospect_id: rows[0]?.campaign_prospect_id ?? null,
      prospect_id: email?.prospectId ?? null,
      sequence_id: campaign.sequenceId,
    }
    const keyed = (step: number, key: number | string) =>
      insert({ ...whole, step_number: step, idempotency_key: `${email?.prospectId}:${campaign.sequenceId}:${key}` })
    expect(await keyed(2, 2)).toBe('allowed')
    expect(await keyed(3, 4)).toBe('scheduled_emails_kind_check')
    expect(await keyed(0, 0)).toBe('scheduled_emails_kind_check')
    expect(await keyed(2, 2)).toBe('scheduled_emails_idempotency_key_key')
  })
})

describe('what happened stays', () => {
  test('an email that was never attempted may be deleted; one that was, never', async () => {
    const remove = 'DELETE FROM scheduled_emails WHERE id = $1'
    expect(await tryOn('SCHEDULED', remove)).toBe('allowed')
    expect(await tryOn('CANCELLED', remove)).toBe('allowed')
    expect(await tryOn('SENDING', remove)).toBe('scheduled_emails_keep')
    expect(await tryOn('OUTCOME_UNKNOWN', remove)).toBe('scheduled_emails_keep')
    const [email] = await makeEmails(db.pool, campaign, 1)
    await db.pool.query(
      `INSERT INTO email_attempts (email_id, lease_token, workspace_id, number, worker, started_at, ended_at, outcome)
       VALUES ($1, 1, $2, 1, 'w', app_now(), app_now(), 'RETRY')`,
      [email?.id, campaign.workspaceId],
    )
    await expect(db.pool.query(remove, [email?.id])).rejects.toMatchObject({ constraint: 'scheduled_emails_keep' })
    await expect(db.pool.query('TRUNCATE scheduled_emails CASCADE')).rejects.toMatchObject({
      constraint: 'scheduled_emails_keep_all',
    })
  })

  describe('attempts', () => {
    let id: string
    beforeAll(async () => {
      id = newId()
      await db.pool.query(
        `INSERT INTO email_attempts (email_id, lease_token, workspace_id, number, worker, started_at, marked_at, ended_at, outcome)
         VALUES ($1, 1, $2, 1, 'w', app_now(), app_now(), app_now(), 'UNKNOWN'),
                ($1, 2, $2, 2, 'w', app_now(), app_now(), app_now(), 'ACCEPTED')`,
        [id, campaign.workspaceId],
      )
    })
    const change = (token: number, assignments: string) =>
      db.pool
        .query(`UPDATE email_attempts SET ${assignments} WHERE email_id = $1 AND lease_token = ${token}`, [id])
        .then(() => 'allowed')
        .catch((error: { constraint?: string }) => error.constraint)

    test.each(['outcome', 'ended_at', 'error_code', 'receipt', 'worker', 'number', 'workspace_id', 'lease_token'])(
      'the %s of an ended attempt does not change',
      async (column) => {
        const values: Record<string, string> = {
          outcome: `'RETRY'`,
          ended_at: `app_now() + interval '1 hour'`,
          receipt: `'{}'`,
          number: '7',
          lease_token: '7',
          workspace_id: `'${newId()}'`,
        }
        expect(await change(1, `${column} = ${values[column] ?? `'x'`}`)).toBe('email_attempts_append_only')
      },
    )

    test('evidence is for attempts that ended unknown, and is given once', async () => {
      expect(await change(2, `evidence = 'RETRY', evidence_at = app_now()`)).toBe('email_attempts_evidence_check')
      expect(await change(1, `evidence = 'UNKNOWN', evidence_at = app_now()`)).toBe('email_attempts_evidence_check')
      expect(await change(1, `evidence = 'ACCEPTED', evidence_at = app_now(), message_id = 'm'`)).toBe('allowed')
      expect(await change(1, `evidence = 'RETRY'`)).toBe('email_attempts_append_only')
      expect(await change(1, `message_id = 'n'`)).toBe('email_attempts_append_only')
    })

    test('none is ever deleted', async () => {
      await expect(db.pool.query('DELETE FROM email_attempts')).rejects.toMatchObject({
        constraint: 'email_attempts_keep',
      })
      await expect(db.pool.query('TRUNCATE email_attempts')).rejects.toMatchObject({
        constraint: 'email_attempts_keep_all',
      })
    })

    test.each([
      ['what was accepted was handed over', 'ACCEPTED', 1, 'email_attempts_mark_check'],
      ['an attempt has a number', 'RETRY', 0, 'email_attempts_number_check'],
    ] as const)('%s', async (_name, outcome, number, refusedBy) => {
      await expect(
        db.pool.query(
          `INSERT INTO email_attempts (email_id, lease_token, workspace_id, number, worker, started_at, ended_at, outcome)
           VALUES ($1, 9, $2, $3, 'w', app_now(), app_now(), $4)`,
          [id, campaign.workspaceId, number, outcome],
        ),
      ).rejects.toMatchObject({ constraint: refusedBy })
    })
  })

  test('events are only appended', async () => {
    const [email] = await makeEmails(db.pool, campaign, 1)
    await db.pool.query(become('CANCELLED'), [email?.id])
    const { rows } = await db.pool.query(
      'SELECT from_status, to_status, reason FROM email_events WHERE email_id = $1',
      [email?.id],
    )
    expect(rows).toEqual([{ from_status: 'SCHEDULED', to_status: 'CANCELLED', reason: 'BY_PERSON' }])
    for (const sql of [`UPDATE email_events SET reason = 'x'`, 'DELETE FROM email_events'])
      await expect(db.pool.query(sql)).rejects.toMatchObject({ constraint: 'email_events_append_only' })
    await expect(db.pool.query('TRUNCATE email_events')).rejects.toMatchObject({ constraint: 'email_events_keep_all' })
  })
})
