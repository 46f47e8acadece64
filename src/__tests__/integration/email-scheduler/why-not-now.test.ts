import pino from 'pino'
import { describe, expect, test } from 'vitest'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { explainWhyNotNow } from '#lib/email-scheduler/read/why-not-now.ts'
import { newId } from '#lib/platform/id.ts'
import { enrol, makeCampaign } from '#tests/support/data/campaigns.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

/** One prospect with two steps, planned; sends all day, so that nothing but what a test changes holds it back. */
async function planned() {
  const { workspaceId, mailboxIds } = await makeWorkspace(db.pool, { mailboxes: 1 })
  const campaign = await makeCampaign(db.pool, { in: { workspaceId }, delays: [0, 2] })
  const [prospectId] = await makeProspects(db.pool, workspaceId, 1)
  await enrol(db.pool, campaign, [prospectId ?? ''])
  await scheduleEmailsForCampaign(db.pool, campaign, { log: pino({ level: 'silent' }), mayContinue: () => true })
  const { rows } = await db.pool.query<{ id: string }>(
    'SELECT id FROM scheduled_emails WHERE campaign_id = $1 ORDER BY step_number',
    [campaign.campaignId],
  )
  return { ...campaign, prospectId, mailboxId: mailboxIds[0], first: rows[0]?.id ?? '', second: rows[1]?.id ?? '' }
}

async function blockersOf(workspaceId: string, id: string) {
  const answer = await explainWhyNotNow(db.pool, workspaceId, id)
  if (answer.kind !== 'waiting') throw new Error(`it is ${answer.kind}`)
  return {
    names: answer.blockers.map(({ name }) => name),
    firstFeasible: answer.firstFeasible,
    blockers: answer.blockers,
  }
}

describe('why not now', () => {
  test('names nothing where nothing holds it back, and the next step waits for the one before', async () => {
    const { workspaceId, first, second } = await planned()
    expect((await blockersOf(workspaceId, first)).names).toEqual([])
    const waiting = await blockersOf(workspaceId, second)
    expect(waiting.names).toEqual(['previous-step-sent'])
    expect(waiting.blockers[0]?.sentence).toBe('Step 1 has not been sent yet.')
    expect(waiting.firstFeasible).toBeNull()
  })

  test('names all blockers at once', async () => {
    const { workspaceId, campaignId, prospectId, mailboxId, first } = await planned()
    await db.pool.query(`UPDATE campaigns SET status = 'PAUSED' WHERE id = $1`, [campaignId])
    await db.pool.query('UPDATE prospects SET paused_at = app_now() WHERE id = $1', [prospectId])
    await db.pool.query(
      `UPDATE mailboxes SET status = 'STOPPED', stopped_reason = 'the password was refused' WHERE id = $1`,
      [mailboxId],
    )
    const { names, firstFeasible } = await blockersOf(workspaceId, first)
    expect(names).toEqual(['campaign-running', 'prospect-active', 'mailbox-connected'])
    expect(firstFeasible).toBeNull()
  })

  test('gives the first time at which what passes by itself has passed', async () => {
    const { workspaceId, mailboxId, first } = await planned()
    await db.pool.query(
      `UPDATE mailboxes SET next_allowed_at = app_now() + interval '45 seconds', deferred_until = app_now() + interval '2 hours' WHERE id = $1`,
      [mailboxId],
    )
    const { names, firstFeasible } = await blockersOf(workspaceId, first)
    expect(names).toEqual(['mailbox-not-deferred', 'spacing'])
    const { rows } = await db.pool.query<{ until: Date }>(
      'SELECT deferred_until AS until FROM mailboxes WHERE id = $1',
      [mailboxId],
    )
    expect(firstFeasible).toEqual(rows[0]?.until)
  })

  test.each([
    [
      'workspace-quota',
      (ids: Ids) =>
        [
          `INSERT INTO workspace_days (workspace_id, local_date, reserved) SELECT $1, (app_now() AT TIME ZONE 'Europe/Berlin')::date, 100`,
          ids.workspaceId,
        ] as const,
    ],
    [
      'mailbox-limit',
      (ids: Ids) =>
        [
          `INSERT INTO mailbox_days (mailbox_id, local_date, reserved) SELECT $1, (app_now() AT TIME ZONE 'Europe/Berlin')::date, 40`,
          ids.mailboxId,
        ] as const,
    ],
    [
      'sending-window',
      (ids: Ids) =>
        [
          `UPDATE sending_settings SET days_off = ARRAY[(app_now() AT TIME ZONE 'Europe/Berlin')::date - 1, (app_now() AT TIME ZONE 'Europe/Berlin')::date] WHERE workspace_id = $1`,
          ids.workspaceId,
        ] as const,
    ],
  ])('counts %s by the local date of today', async (name, change) => {
    const email = await planned()
    const [sql, id] = change(email)
    await db.pool.query(sql, [id])
    const { names, firstFeasible } = await blockersOf(email.workspaceId, email.first)
    expect(names).toEqual([name])
    const { rows } = await db.pool.query<{ tomorrow: boolean }>(
      `SELECT ($1::timestamptz AT TIME ZONE 'Europe/Berlin')::date = (app_now() AT TIME ZONE 'Europe/Berlin')::date + 1 AS tomorrow`,
      [firstFeasible],
    )
    expect(rows[0]?.tomorrow).toBe(true)
  })

  test("another workspace's email is not found, and one that does not wait says so", async () => {
    const { workspaceId, first } = await planned()
    expect(await explainWhyNotNow(db.pool, newId(), first)).toEqual({ kind: 'not-found' })
    await db.pool.query(
      `UPDATE scheduled_emails SET status = 'CANCELLED', cancelled_at = app_now(), cancel_reason = 'BY_PERSON', ready_at = NULL WHERE id = $1`,
      [first],
    )
    expect(await explainWhyNotNow(db.pool, workspaceId, first)).toEqual({ kind: 'not-waiting', status: 'CANCELLED' })
  })
})

type Ids = Awaited<ReturnType<typeof planned>>
