import { beforeAll, expect, test } from 'vitest'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { addUpCounts } from '#lib/email-scheduler/queue/add-up-counts.ts'
import { countOutbox } from '#lib/email-scheduler/queue/count-outbox.ts'
import { listOutbox } from '#lib/email-scheduler/queue/list-outbox.ts'
import type { OutboxFilter } from '#lib/email-scheduler/queue/outbox-source.ts'
import { QUEUE_PART_NAMES } from '#lib/email-scheduler/queue-parts.ts'
import { actOnMany } from '#lib/email-scheduler/verbs/bulk.ts'
import type { VerbCall } from '#lib/email-scheduler/verbs/verb-call.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { ADDED_AT_ONCE } from '#lib/platform/rows/kept-counts.ts'
import { runTick } from '#lib/worker/tick.ts'
import { type DueCampaign, makeDueCampaign } from '#tests/support/data/emails.ts'
import { actor } from '#tests/support/data/people.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const campaigns: DueCampaign[] = []
const provider = new TestProvider()

const OUTCOMES: ((messageId: string) => SendOutcome)[] = [
  (messageId) => ({ kind: 'accepted', messageId }),
  (messageId) => ({ kind: 'accepted', messageId }),
  () => ({ kind: 'rejected', scope: 'message', code: 'MESSAGE_REFUSED', reason: 'The server refused it.' }),
  () => ({ kind: 'retry', scope: 'message', code: 'TEMPORARY_FAILURE', reason: 'Not now.' }),
  () => ({ kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer came.' }),
]
const WISHES: VerbCall[] = [
  { action: 'retry' },
  { action: 'dismiss' },
  { action: 'delivered' },
  { action: 'cancel' },
  { action: 'restore' },
]
const oneOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T

const CELL = 'workspace_id, mailbox_id, campaign_id, local_date, status, is_dismissed, error_code'
const NONE = '00000000-0000-0000-0000-000000000000'

/** Cells in which count and emails are not the same, at one moment: of each mailbox, and of all together. */
async function wrongCells(): Promise<unknown[]> {
  const { rows } = await db.pool.query(
    `WITH counted AS (
       SELECT ${CELL}, sum(emails) AS emails FROM (
         SELECT ${CELL}, emails FROM email_counts
         UNION ALL SELECT ${CELL}, change FROM email_count_changes
         UNION ALL SELECT workspace_id, '${NONE}', campaign_id, local_date, status, is_dismissed, error_code, change FROM email_count_changes) c
       GROUP BY ${CELL} HAVING sum(emails) <> 0
     ), there AS (
       SELECT workspace_id, m.mailbox_id, coalesce(campaign_id, '${NONE}') AS campaign_id, local_date, status,
         dismissed_at IS NOT NULL AS is_dismissed, coalesce(last_error_code, '') AS error_code, count(*) AS emails
       FROM scheduled_emails e CROSS JOIN LATERAL (VALUES (e.mailbox_id), ('${NONE}'::uuid)) AS m(mailbox_id)
       GROUP BY 1, 2, 3, 4, 5, 6, 7)
     SELECT * FROM counted FULL JOIN there USING (${CELL}, emails) WHERE counted.workspace_id IS NULL OR there.workspace_id IS NULL`,
  )
  return rows
}

/** Workers send, people act, and several add up, until so much was done. */
async function live(acts: number): Promise<void> {
  let done = 0
  const isOver = () => done >= acts
  const ids = campaigns.flatMap(({ emails }) => emails.map(({ id }) => id))
  const person = async () => {
    while (!isOver()) {
      const chosen = Array.from({ length: 20 }, () => oneOf(ids))
      // A run of bad answers would make the mailboxes pause, and nothing would be left to count.
      await inTransaction(db.pool, (tx) =>
        tx.query('UPDATE mailboxes SET fault_until = NULL, faults_in_row = 0, burned_as = NULL, burned_in_row = 0'),
      )
      await actOnMany(db.pool, campaigns[0]?.workspaceId ?? '', { ids: chosen }, oneOf(WISHES), actor, false)
      done += 1
    }
  }
  const worker = async () => {
    while (!isOver()) await sendAll(db.pool, provider, { claimMsMax: 100 })
  }
  const adder = async () => {
    while (!isOver()) await addUpCounts(db.pool)
  }
  const watcher = async () => {
    while (!isOver()) expect(await wrongCells()).toEqual([])
  }
  await Promise.all([person(), person(), worker(), worker(), adder(), adder(), watcher()])
}

beforeAll(async () => {
  provider.answer = ({ message }) => oneOf(OUTCOMES)(message.messageId)
  const settings = {
    sending_days: '{1,2,3,4,5,6,7}',
    window_start_minute: 0,
    window_end_minute: 1440,
    daily_quota: 100_000,
  }
  const first = await makeDueCampaign(db.pool, {
    ...{ prospects: 60, delays: [0, 0], mailboxes: 3, settings, limits: { dailyLimit: 100_000 } },
  })
  const { workspaceId, mailboxIds } = first
  campaigns.push(first)
  for (const delays of [[0], [0, 0]])
    campaigns.push(await makeDueCampaign(db.pool, { in: { workspaceId, mailboxIds }, prospects: 40, delays }))
  await db.pool.query('UPDATE mailboxes SET daily_limit = 100000, rolling_limit = 100000')
})

test('the counts are right at every moment, while workers send, people act, and several add up', async () => {
  await live(60)
  expect(await wrongCells()).toEqual([])
  const { rows } = await db.pool.query<{ status: string }>('SELECT DISTINCT status FROM scheduled_emails')
  expect(rows.length).toBeGreaterThan(3)
})

test('a tick adds up what is left, forgets cells that are empty, and changes no count', async () => {
  await actOnMany(
    db.pool,
    campaigns[0]?.workspaceId ?? '',
    { ids: campaigns[0]?.emails.map(({ id }) => id) ?? [] },
    { action: 'cancel' },
    actor,
    false,
  )
  const workspaceId = campaigns[0]?.workspaceId ?? ''
  const before = await countOutbox(db.pool, workspaceId, {})
  await runTick(db.pool, 'adds-up', silent)
  expect((await db.pool.query('SELECT FROM email_count_changes')).rowCount).toBe(0)
  expect((await db.pool.query('SELECT FROM email_counts WHERE emails <= 0')).rowCount).toBe(0)
  expect(await wrongCells()).toEqual([])
  expect(await countOutbox(db.pool, workspaceId, {})).toEqual(before)
  expect(await addUpCounts(db.pool)).toBe(0)
})

test('what is added up at once is bounded; the rest is for the next time', async () => {
  await db.pool.query(
    `INSERT INTO email_count_changes (${CELL}, change) SELECT ${CELL}, CASE WHEN n % 2 = 0 THEN 1 ELSE -1 END
     FROM (SELECT ${CELL} FROM email_counts WHERE mailbox_id <> '${NONE}' LIMIT 1) cell, generate_series(1, $1::int) n`,
    [ADDED_AT_ONCE + 2],
  )
  expect(await addUpCounts(db.pool)).toBe(ADDED_AT_ONCE)
  expect(await addUpCounts(db.pool)).toBe(2)
  expect(await wrongCells()).toEqual([])
})

test('each filter alone and in pairs: the list of every part holds as many as its count says, each once', async () => {
  const { workspaceId, mailboxId } = campaigns[0] ?? { workspaceId: '', mailboxId: '' }
  const singles: OutboxFilter[] = [
    { campaignId: campaigns[1]?.campaignId },
    { mailboxId },
    { errorCode: 'MESSAGE_REFUSED' },
    { kind: 'CAMPAIGN' },
    { kind: 'TRANSACTIONAL' },
    { fromDate: '2026-01-01', untilDate: '2026-01-01' },
    { status: 'PERMANENTLY_FAILED' },
  ]
  const pairs = singles.flatMap((one, index) => singles.slice(index + 1).map((other) => ({ ...one, ...other })))
  for (const filter of [{}, ...singles, ...pairs]) {
    const counts = await countOutbox(db.pool, workspaceId, filter)
    for (const part of QUEUE_PART_NAMES) {
      const ids: string[] = []
      let cursor: string | undefined
      do {
        const page = await listOutbox(db.pool, workspaceId, { ...filter, part }, { cursor, limit: 25 })
        ids.push(...page.emails.map(({ id }) => id))
        cursor = page.nextCursor ?? undefined
      } while (cursor)
      expect({ filter, part, listed: ids.length, once: new Set(ids).size }).toEqual({
        ...{ filter, part, listed: counts[part].count, once: counts[part].count },
      })
    }
  }
})

test('counted anew, the counts are the same', async () => {
  const cells = () => db.pool.query(`SELECT * FROM email_counts ORDER BY ${CELL}`)
  await addUpCounts(db.pool)
  const before = (await cells()).rows
  await db.pool.query('SELECT recount_emails()')
  expect((await cells()).rows).toEqual(before)
})
