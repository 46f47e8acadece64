import { beforeAll, describe, expect, test } from 'vitest'
import { withSums } from '#lib/campaigns/ledger.ts'
import { withPace } from '#lib/email-scheduler/read/campaign-pace.ts'
import { type MailboxOutlook, readMailboxOutlooks } from '#lib/email-scheduler/read/mailboxes-today.ts'
import { dismiss } from '#lib/email-scheduler/verbs/dismiss.ts'
import { assumeDelivered, sendAgain } from '#lib/email-scheduler/verbs/resolve.ts'
import { type Behind, readRowsBehind } from '#lib/operations/overview/rows-behind.ts'
import { readCursor } from '#lib/operations/overview/rows-cursor.ts'
import { readPromise } from '#lib/operations/promise/read-promise.ts'
import { SETTLED_WAYS } from '#lib/operations/promise/settled-unknowns.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { vacuum } from '#tests/support/server/vacuum.ts'
import { plansOf } from '#tests/support/server/watched.ts'

/** Numbers beside those of the overview: a mailbox's day, a campaign's last hour, and the promise. Each is a door. */
const db = testDatabase()
let one: TestCampaign
let two: TestCampaign
let elsewhere = ''
/** The mailbox of the one that is sent again. */
let againFrom = ''

beforeAll(async () => {
  const hour = new Date().getUTCHours()
  const time_zone = hour > 2 && hour < 20 ? 'UTC' : 'Asia/Tokyo'
  one = await makeCampaign(db.pool, { mailboxes: 2, delays: [0, 1], settings: { time_zone } })
  two = await makeCampaign(db.pool, { in: one })
  elsewhere = (await makeWorkspace(db.pool)).workspaceId
  const paused = await makeCampaign(db.pool, { in: one })
  const provider = new TestProvider()

  await db.travel('-2 hours')
  await makeEmails(db.pool, one, 3)
  await sendAll(db.pool, provider)
  await db.travel('2 hours')
  await makeEmails(db.pool, one, 16)
  await makeEmails(db.pool, two, 4)
  let handed = 0
  provider.answer = ({ message }) => {
    handed += 1
    if (handed === 1) return { kind: 'rejected', scope: 'message', code: 'MESSAGE_REFUSED', reason: 'It was refused.' }
    if (handed <= 6) return { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' }
    return { kind: 'accepted', messageId: message.messageId }
  }
  // A mailbox with that many faults rests for a while.
  for (let rounds = 0; rounds < 3; rounds += 1) {
    await sendAll(db.pool, provider)
    await db.travel('10 minutes')
  }
  const { rows } = await db.pool.query<{ id: string; mailboxId: string }>(
    `SELECT id, mailbox_id AS "mailboxId" FROM scheduled_emails WHERE workspace_id = $1 AND status = 'OUTCOME_UNKNOWN' ORDER BY id`,
    [one.workspaceId],
  )
  const [delivered = '', again = '', dismissed = ''] = rows.map(({ id }) => id)
  againFrom = rows[1]?.mailboxId ?? ''
  await inTransaction(db.pool, async (tx) => {
    await assumeDelivered(tx, one.workspaceId, [delivered])
    await sendAgain(tx, one.workspaceId, [again], 60_000)
    await dismiss(tx, one.workspaceId, [dismissed])
  })
  const waiting = await makeEmails(db.pool, two, 7)
  await makeEmails(db.pool, paused, 2)
  await db.pool.query(`UPDATE campaigns SET status = 'PAUSED' WHERE id = $1`, [paused.campaignId])
  // Three of them tomorrow.
  await db.pool.query(`UPDATE scheduled_emails SET ready_at = ready_at + interval '1 day' WHERE id = ANY($1::uuid[])`, [
    waiting.slice(4).map(({ id }) => id),
  ])
})

/** As many as the door says, each once, page after page. */
async function behindDoor(behind: Behind, workspaceId = one.workspaceId): Promise<number> {
  const ids: string[] = []
  let total = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const at = cursor ? readCursor(cursor) : undefined
    const page = await readRowsBehind(db.pool, workspaceId, behind, { cursor: at, limit: 3 })
    total = page.total
    ids.push(...page.rows.map(({ id }) => id))
    cursor = page.nextCursor
  }
  expect(new Set(ids).size).toBe(ids.length)
  expect([behind, ids.length]).toEqual([behind, total])
  return total
}

async function outlooks(): Promise<[string, MailboxOutlook][]> {
  return [...(await readMailboxOutlooks(db.pool, one.workspaceId))]
}

describe('every number is a door to as many', () => {
  test('what a mailbox has used of today: what was sent, and what may have been', async () => {
    let used = 0
    for (const [mailboxId, { sent, date }] of await outlooks()) {
      // What is sent again has a place for the first time as well, and is no row before it goes.
      const listed = sent - (mailboxId === againFrom ? 1 : 0)
      expect(await behindDoor({ what: 'mailbox-used', mailboxId, date })).toBe(listed)
      expect(await behindDoor({ what: 'mailbox-used', mailboxId, date: '2026-01-01' })).toBe(0)
      expect(await behindDoor({ what: 'mailbox-used', mailboxId, date }, elsewhere)).toBe(0)
      used += sent
    }
    // 23 were handed over, and one of them was refused.
    expect(used).toBe(22)
  })

  test('what a mailbox has due today: nothing of tomorrow or of a paused campaign', async () => {
    let due = 0
    for (const [mailboxId, { waiting, until }] of await outlooks()) {
      expect(await behindDoor({ what: 'mailbox-due', mailboxId, until })).toBe(waiting)
      expect(await behindDoor({ what: 'mailbox-due', mailboxId, until }, elsewhere)).toBe(0)
      due += waiting
    }
    expect(due).toBe(4 + 1)
  })

  test('what a campaign sent in the last hour, and nothing of the hours before or of another', async () => {
    const { rows } = await db.pool.query('SELECT id, status FROM campaigns WHERE workspace_id = $1', [one.workspaceId])
    const paces = await withPace(db.pool, one.workspaceId, await withSums(db.pool, rows))
    const counts = new Map<string, number>()
    for (const { id, sentLastHour, lastHour } of paces) {
      const behind: Behind = { what: 'sent-of-campaign', campaignId: id, ...lastHour }
      expect(await behindDoor(behind)).toBe(sentLastHour)
      expect(await behindDoor(behind, elsewhere)).toBe(0)
      counts.set(id, sentLastHour)
    }
    const sum = (counts.get(one.campaignId) ?? 0) + (counts.get(two.campaignId) ?? 0)
    expect(sum).toBe(20 - 1 - 5 + 1)
    expect(counts.get(one.campaignId)).toBeGreaterThan(0)
  })

  test('what a provider accepted, and each way in which an unknown outcome ended', async () => {
    const { accepted, unknowns } = await readPromise(db.pool, one.workspaceId)
    expect(accepted).toBe(3 + 14)
    expect(await behindDoor({ what: 'accepted' })).toBe(accepted)
    expect(unknowns.total).toBe(5)
    expect(await behindDoor({ what: 'were-unknown' })).toBe(unknowns.total)
    expect(unknowns.ways).toMatchObject({ open: 2, delivered: 1, 'sent-again': 1, dismissed: 1 })
    for (const way of SETTLED_WAYS) expect(await behindDoor({ what: 'were-unknown', way })).toBe(unknowns.ways[way])
    expect(await behindDoor({ what: 'accepted-again' })).toBe(unknowns.acceptedAgain)
    for (const what of ['accepted', 'accepted-again', 'were-unknown'] as const)
      expect(await behindDoor({ what }, elsewhere)).toBe(0)
  })
})

describe('each list comes through its index', () => {
  // As in life: most of what was sent was sent days ago. Of a few rows it is all one how they are read.
  beforeAll(async () => {
    await inTransaction(db.pool, async (tx) => {
      const others = [await makeCampaign(tx, { in: one }), await makeCampaign(tx, { in: one }), one]
      for (const campaign of others) await makeEmails(tx, campaign, 4_000)
      await tx.query('SET LOCAL session_replication_role = replica')
      await tx.query(
        `UPDATE scheduled_emails
         SET status = 'SENT', sent_at = app_now() - random() * interval '30 days', local_date = current_date - 30
         WHERE sent_at IS NULL AND status = 'SCHEDULED' AND campaign_id = ANY($1::uuid[])`,
        [others.map(({ campaignId }) => campaignId)],
      )
      await tx.query(
        `INSERT INTO email_attempts (email_id, lease_token, workspace_id, number, worker, started_at, marked_at, ended_at, outcome)
         SELECT id, 1, workspace_id, 1, 'worker', sent_at, sent_at, sent_at, 'ACCEPTED'
         FROM scheduled_emails WHERE status = 'SENT'
         ON CONFLICT DO NOTHING`,
      )
      for (const campaign of others) await makeEmails(tx, campaign, 500)
      await tx.query(`UPDATE scheduled_emails SET ready_at = ready_at + interval '9 days' WHERE id IN (
        SELECT id FROM scheduled_emails WHERE status = 'SCHEDULED' ORDER BY id DESC LIMIT 1500)`)
    })
    await vacuum(db.pool, 'scheduled_emails', 'email_attempts', 'email_events', 'campaigns', 'mailboxes')
  })

  test.each<[string, () => Behind, string]>([
    ...(['mailbox-used', 'mailbox-due'] as const).map((what): [string, () => Behind, string] => [
      what,
      () => ({ what, mailboxId: one.mailboxIds[0] ?? '', date: '2026-11-19', until: new Date() }),
      what === 'mailbox-used' ? 'scheduled_emails_sent_idx' : 'scheduled_emails_due_idx',
    ]),
    [
      'sent-of-campaign',
      () => ({
        what: 'sent-of-campaign',
        campaignId: one.campaignId,
        from: new Date(Date.now() - 3_600_000),
        until: new Date(),
      }),
      'scheduled_emails_sent_idx',
    ],
    ['accepted', () => ({ what: 'accepted' }), 'scheduled_emails_sent_idx'],
    ['were-unknown', () => ({ what: 'were-unknown', way: 'delivered' }), 'email_attempts_unknown_idx'],
  ])('%s', async (_, behind, index) => {
    const [plan] = await plansOf(db.pool, (sql) => readRowsBehind(sql, one.workspaceId, behind(), { limit: 50 }))
    expect(plan).toContain(index)
    expect(plan).not.toContain('Seq Scan on scheduled_emails')
    expect(plan).not.toContain('Seq Scan on email_attempts')
  })
})
