import { expect, test } from 'vitest'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { advanceBulk } from '#lib/email-scheduler/verbs/advance-bulk.ts'
import { actOnMany } from '#lib/email-scheduler/verbs/bulk.ts'
import { startBulk } from '#lib/email-scheduler/verbs/start-bulk.ts'
import type { VerbCall } from '#lib/email-scheduler/verbs/verb-call.ts'
import { examine } from '#lib/operations/doctor/examine.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { actor } from '#tests/support/data/people.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

const WISHES: VerbCall[] = [
  { action: 'retry' },
  { action: 'retry' },
  { action: 'delivered' },
  { action: 'send_again', attemptMsMax: 0 },
  { action: 'dismiss' },
  { action: 'cancel' },
  { action: 'restore' },
  { action: 'restore' },
]
const OUTCOMES: ((messageId: string) => SendOutcome)[] = [
  (messageId) => ({ kind: 'accepted', messageId }),
  () => ({ kind: 'rejected', scope: 'message', code: 'MESSAGE_REFUSED', reason: 'The server refused it.' }),
  () => ({ kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer came.' }),
]
const ADMINS = 8
const WORKERS = 4
const ACTS_MIN = 3_000

const oneOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T

test('eight admins and four workers on the same rows: every invariant holds, and no email is accepted twice', async () => {
  const { workspaceId, emails } = await makeDueCampaign(db.pool, { prospects: 400, delays: [0, 0] })
  await db.pool.query(
    `UPDATE sending_settings SET sending_days = '{1,2,3,4,5,6,7}', window_start_minute = 0, window_end_minute = 1440,
       daily_quota = 100000, jitter_min_seconds = 0, jitter_max_seconds = 0 WHERE workspace_id = $1`,
    [workspaceId],
  )
  await db.pool.query('UPDATE mailboxes SET daily_limit = 100000, rolling_limit = 100000')
  const ids = emails.map(({ id }) => id)
  const accepted = new Map<string, number>()
  const provider = new TestProvider()
  provider.answer = ({ emailId, message }) => {
    const outcome = oneOf(OUTCOMES)(message.messageId)
    if (outcome.kind === 'accepted') accepted.set(emailId, (accepted.get(emailId) ?? 0) + 1)
    return outcome
  }
  let acts = 0
  let done = 0
  const isOver = () => acts >= ACTS_MIN

  const admin = async () => {
    while (!isOver()) {
      const chosen = Array.from({ length: 1 + Math.floor(Math.random() * 12) }, () => oneOf(ids))
      if (acts % 20 === 0)
        await inTransaction(db.pool, (tx) =>
          startBulk(
            tx,
            workspaceId,
            { wish: oneOf(WISHES), emails: { filter: { part: 'decide' }, exceptIds: [] } },
            actor,
          ),
        )
      await advanceBulk(db.pool)
      // A run of bad answers would make the mailbox pause, and the race would stand still.
      await db.pool.query(
        'UPDATE mailboxes SET fault_until = NULL, faults_in_row = 0, burned_as = NULL, burned_in_row = 0',
      )
      done += (await actOnMany(db.pool, workspaceId, { ids: chosen }, oneOf(WISHES), actor, false)).done
      acts += 1
    }
  }
  const worker = async (number: number) => {
    while (!isOver()) await sendAll(db.pool, provider, { worker: `worker-${number}`, claimMsMax: 200 })
  }
  await Promise.all([
    ...Array.from({ length: ADMINS }, admin),
    ...Array.from({ length: WORKERS }, (_, number) => worker(number)),
  ])
  while ((await advanceBulk(db.pool)) !== null);

  expect(await examine(db.pool)).toEqual([])
  expect([...accepted.values()].filter((times) => times > 1)).toEqual([])
  // It was a race, and not a queue of refusals.
  expect(done).toBeGreaterThan(ids.length / 20)
  expect(provider.handed.length).toBeGreaterThan(ids.length / 10)
})
