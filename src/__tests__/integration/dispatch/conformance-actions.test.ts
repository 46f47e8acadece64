import { beforeEach, describe, expect, test } from 'vitest'
import { scheduleActions } from '#lib/actions/schedule.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { enrolmentsOf, FORK, makeBranching, stepsOf } from '#tests/support/data/branching.ts'
import { launch, makeDraft } from '#tests/support/data/drafts.ts'
import { actionStates, areDecided, decisionsOf, makeDueTimeouts } from '#tests/support/data/due-actions.ts'
import { testSender, WITHOUT_BROKER } from '#tests/support/dispatch/senders.ts'
import { IS_THERE, testService } from '#tests/support/dispatch/services.ts'
import { whileWorking } from '#tests/support/dispatch/workers.ts'
import { until } from '#tests/support/faults/waiting.ts'
import { TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
beforeEach(() => db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`))

/** As conformance.test.ts is for emails: every way from finding an action to carrying it out keeps the same promises. */
const TRANSPORTS = [
  { name: 'database', isThere: true, settings: () => WITHOUT_BROKER },
  { name: 'rabbitmq', isThere: IS_THERE.rabbitmq, settings: () => testService('rabbitmq').settings },
  { name: 'bullmq', isThere: IS_THERE.bullmq, settings: () => testService('bullmq').settings },
]

const publishedSoFar = async () => {
  const { rows } = await db.pool.query<{ count: number }>(
    `SELECT coalesce(sum(count), 0)::int AS count FROM action_counts WHERE what = 'published'`,
  )
  return rows[0]?.count ?? 0
}

describe.each(TRANSPORTS)('by $name', ({ name, isThere, settings: settingsOf }) => {
  describe.skipIf(!isThere)('actions', () => {
    const settings = settingsOf()
    const workers = (count: number) =>
      Array.from({ length: count }, (_, index) => testSender(db.pool, new TestProvider(), settings, `worker-${index}`))

    test('each is carried out once, with ten workers at once, and events win that came in time', async () => {
      const before = await publishedSoFar()
      const campaign = await makeDueTimeouts(db, 300, 60)
      await whileWorking(db.pool, workers(10), async () => {
        await until('all are decided', areDecided(db.pool, campaign))
        await until('nothing is in hand', async () => (await actionStates(db.pool, campaign)).RUNNING === undefined)
        const [buyer = ''] = campaign.prospectIds
        await until('what follows is planned', async () =>
          /^1 SENT, 2 \w+, 4 \w+$/.test(await stepsOf(db.pool, campaign, buyer)),
        )
      })
      expect(await decisionsOf(db.pool, campaign)).toEqual({ yes: 60, no: 240, undecided: 0, most: 1 })
      const { rows } = await db.pool.query<{ times: number }>(
        `SELECT DISTINCT count(*)::int AS times FROM action_attempts t JOIN scheduled_actions a ON a.id = t.action_id
         WHERE a.campaign_id = $1 AND t.outcome = 'COMPLETED' GROUP BY a.id`,
        [campaign.campaignId],
      )
      expect(rows).toEqual([{ times: 1 }])
      if (name === 'database') expect(await publishedSoFar()).toBe(before)
      else expect((await publishedSoFar()) - before).toBeGreaterThanOrEqual(240)
    })

    test('those of a campaign are carried out together, and not each in a transaction of its own', async () => {
      const campaign = await makeDueTimeouts(db, 400)
      await whileWorking(db.pool, workers(1), async () => {
        await until('all are decided', areDecided(db.pool, campaign))
      })
      const { rows } = await db.pool.query<{ commits: number }>(
        `SELECT count(DISTINCT t.xmin::text)::int AS commits FROM action_attempts t JOIN scheduled_actions a ON a.id = t.action_id
         WHERE a.campaign_id = $1 AND a.type = 'TIMEOUT'`,
        [campaign.campaignId],
      )
      expect(rows[0]?.commits).toBeLessThanOrEqual(40)
    })

    test('a campaign starts once when its time has come, beside a storm of time-outs', async () => {
      const draft = await makeDraft(db.pool, 1, [0])
      const { rows } = await db.pool.query<{ at: Date }>(`SELECT app_now() + interval '1 day' AS at`)
      await launch(db.pool, draft, rows[0]?.at)
      const campaign = await makeDueTimeouts(db, 200)
      await whileWorking(db.pool, workers(3), async () => {
        await until(
          'it has started',
          async () => (await actionStates(db.pool, draft, 'START_CAMPAIGN')).COMPLETED === 1,
        )
        await until('all are decided', areDecided(db.pool, campaign))
      })
      const { rows: after } = await db.pool.query('SELECT status FROM campaigns WHERE id = $1', [draft.campaignId])
      expect(after).not.toEqual([{ status: 'SCHEDULED' }])
    })

    test('one that fails is tried again by the policy, and fails alone', async () => {
      const campaign = await makeBranching(db.pool, FORK, { people: 3 })
      const { workspaceId, campaignId } = campaign
      const enrolmentIds = await enrolmentsOf(db.pool, campaign)
      // No worker here can tell members.
      const actions = enrolmentIds.map((enrolmentId, index) => ({
        ...({ type: index === 1 ? 'REMIND' : 'CANCEL' } as const),
        ...{ dedupeKey: `set:${name}:${index}`, campaignId, enrolmentId, prospectId: campaign.prospectIds[index] },
      }))
      await inTransaction(db.pool, (tx) => scheduleActions(tx, workspaceId, actions))
      await whileWorking(db.pool, workers(2), async () => {
        await until('two are done', async () => (await actionStates(db.pool, campaign, 'CANCEL')).COMPLETED === 2)
        await until('one has failed', async () => {
          const { rows } = await db.pool.query(
            `SELECT FROM scheduled_actions WHERE campaign_id = $1 AND type = 'REMIND' AND attempts = 1`,
            [campaignId],
          )
          return rows.length === 1
        })
      })
      const { rows } = await db.pool.query(
        `SELECT status, attempts, last_error AS error, due_at > app_now() AS "isLater" FROM scheduled_actions WHERE campaign_id = $1 AND type = 'REMIND'`,
        [campaignId],
      )
      expect(rows).toEqual([
        { status: 'PENDING', attempts: 1, error: 'this worker cannot tell members', isLater: true },
      ])
    })
  })
})
