import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { settle } from '#lib/email-scheduler/send/settle.ts'
import type { Settlement } from '#lib/email-scheduler/send/settlement.ts'
import { dismiss } from '#lib/email-scheduler/verbs/dismiss.ts'
import { assumeDelivered, sendAgain } from '#lib/email-scheduler/verbs/resolve.ts'
import { examine } from '#lib/operations/doctor/examine.ts'
import { INVARIANTS } from '#lib/operations/doctor/invariants.ts'
import { WALK_NAMES } from '#lib/operations/doctor/walks.ts'
import { endLook, takeLook } from '#lib/operations/promise/lease.ts'
import { PromiseWatch } from '#lib/operations/promise/promise-watch.ts'
import { type PromiseView, readPromise } from '#lib/operations/promise/read-promise.ts'
import { writeWalk } from '#lib/operations/promise/walk-state.ts'
import { createPool, inTransaction, type Sql } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'
import { FAULTS, makeSoundPlace, plant, remember, type SoundPlace } from '#tests/support/data/doctor-faults.ts'
import { makeDueCampaign, makeEmails } from '#tests/support/data/emails.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { join, setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'
import { silent } from '#tests/support/silent.ts'

/** What the doctor finds all at once, ticks find step by step, and a page tells to those whom it concerns. */
const app = testApp()
let olga: Visitor
let otto: Visitor
let place: SoundPlace
let cure: () => Promise<void>

beforeAll(async () => {
  olga = await setUp()
  otto = await join(app, olga, 'otto@example.com', 'owner')
  await app.db.pool.query('DELETE FROM promise_findings')
})

/** In its own workspace, which Otto has nothing to do with. */
beforeEach(async () => {
  await app.db.pool.query(`UPDATE campaigns SET status = 'STOPPED', updated_at = app_now()`)
  place = await makeSoundPlace(app.db.pool)
  await app.db.pool.query(
    `INSERT INTO members (id, workspace_id, user_id, role) VALUES (gen_random_uuid(), $1, $2, 'owner')`,
    [place.campaign.workspaceId, (await whoAmI(olga)).person.id],
  )
  cure = await remember(app.db.pool)
})

afterEach(() => cure())

/** Without what a tick would clear up by itself. */
async function look(): Promise<void> {
  await app.db.travel('31 seconds')
  const done = await new PromiseWatch(app.db.pool, silent).lookIfTime(() => true)
  expect(done).toBeDefined()
}

const here = () => ({ headers: { 'x-workspace-id': place.campaign.workspaceId } })
const seenBy = (visitor: Visitor, headers: object = {}) =>
  visitor.ask<PromiseView>('GET', '/api/admin/promise', headers)
const broken = (view: PromiseView) =>
  view.invariants.filter(({ findings }) => findings.length > 0).map(({ name }) => name)

describe('each of the doctor’s faults', () => {
  test('has a look of its own', () => {
    expect(Object.keys(FAULTS)).toEqual(INVARIANTS.map(({ name }) => name))
    expect(INVARIANTS.filter(({ looks, cure: told }) => looks.length === 0 || told === '')).toEqual([])
  })

  test.each(Object.keys(FAULTS))('%s is on the page within a round, and gone after the cure', async (name) => {
    await look()
    expect(broken(await seenBy(olga, here()))).toEqual([])
    await inTransaction(app.db.pool, (tx) => plant(tx, name, place))
    await look()
    const view = await seenBy(olga, here())
    expect(broken(view)).toContain(name)
    const found = view.invariants.find((one) => one.name === name)
    expect(found?.findings).toHaveLength(1)
    const elsewhere = await seenBy(otto)
    const isOfAll = found?.findings[0]?.kind === 'installation'
    expect(broken(elsewhere)).toEqual(isOfAll ? [name] : [])
    expect(JSON.stringify(elsewhere)).not.toContain(place.sentId)

    const { attention } = await olga
      .ask<{ attention: { kind: string; id: string | null }[] }>('GET', '/api/overview', here())
      .catch((error: unknown) => {
        if (name === 'mailboxes-have-settings') return { attention: [{ kind: 'promise-broken', id: name }] }
        throw error
      })
    const isHold = name === 'sending-is-not-held'
    expect(
      attention.some(({ kind, id }) => (isHold ? kind === 'sending-held' : kind === 'promise-broken' && id === name)),
    ).toBe(true)

    await cure()
    await look()
    expect(broken(await seenBy(olga, here()))).toEqual([])
    expect(await examine(app.db.pool)).toEqual([])
  })
})

describe('the rounds', () => {
  const countOf = async (text: string) => (await app.db.pool.query<{ count: number }>(text)).rows[0]?.count ?? 0

  test('go through everything once, in short steps, whoever of several workers ticks', async () => {
    await makeEmails(app.db.pool, place.campaign, 1_500)
    await app.db.pool.query('DELETE FROM promise_walks')
    const pools = [1, 2, 3].map(() => createPool(app.db.url, 2))
    try {
      let rows = 0
      for (let turn = 0; turn < 30; turn += 1) {
        await app.db.travel('16 seconds')
        const done = await Promise.all(
          pools.map((pool) => new PromiseWatch(pool, silent, { everyMs: 15_000 }).lookIfTime(() => true)),
        )
        // One of them got the turn, and the others did nothing at all.
        expect(done.filter((one) => one !== undefined)).toHaveLength(1)
        rows += done.find((one) => one !== undefined)?.rows ?? 0
        const ended = await countOf('SELECT count(*)::int FROM promise_walks WHERE last_round_ended_at IS NOT NULL')
        if (ended === WALK_NAMES.length) break
      }
      const emails = await countOf('SELECT count(*)::int FROM scheduled_emails')
      expect(await countOf(`SELECT last_round_rows AS count FROM promise_walks WHERE walk = 'emails'`)).toBe(emails)
      expect(rows).toBeGreaterThan(emails)
    } finally {
      await Promise.all(pools.map((pool) => pool.end()))
    }
  })

  test('a worker that was stopped in the middle writes nothing when it wakes', async () => {
    await app.db.travel('31 seconds')
    const slow = await takeLook(app.db.pool, 15_000)
    expect(slow).toBeDefined()
    expect(await takeLook(app.db.pool, 15_000)).toBeUndefined()
    await app.db.travel('3 minutes')
    const other = await takeLook(app.db.pool, 15_000)
    expect(other?.token).toBe((slow?.token ?? 0) + 1)
    const walk = {
      walk: 'emails',
      cursor: null,
      rowsAtOnce: 7,
      roundRows: 7,
      hasBegun: false,
      endedRows: 7,
      trouble: null,
    } as const
    expect(await writeWalk(app.db.pool, slow?.token ?? 0, walk)).toBe(false)
    await endLook(app.db.pool, slow?.token ?? 0)
    expect(await takeLook(app.db.pool, 15_000)).toBeUndefined()
    await endLook(app.db.pool, other?.token ?? 0)
  })

  test('what is found is bounded for each workspace, and another one’s share is its own', async () => {
    const emails = await makeEmails(app.db.pool, place.campaign, 70)
    await inTransaction(app.db.pool, async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica')
      await tx.query(`UPDATE scheduled_emails SET status = 'FAILED', ready_at = NULL WHERE id = ANY($1)`, [
        emails.map(({ id }) => id),
      ])
    })
    await look()
    const { invariants, findingsMax } = await seenBy(olga, here())
    expect(invariants.find(({ name }) => name === 'failed-has-a-verdict')?.findings).toHaveLength(findingsMax)
    await cure()
    await look()
    expect(broken(await seenBy(olga, here()))).toEqual([])
  })

  test('what cannot be read is told, keeps nothing else from being looked at, and is not tried at every look', async () => {
    await app.db.pool.query('ALTER TABLE campaign_prospects RENAME COLUMN planned_steps TO hidden')
    await look()
    await app.db.pool.query('ALTER TABLE campaign_prospects RENAME COLUMN hidden TO planned_steps')
    const looksOf = async (name: string) =>
      (await seenBy(olga, here())).invariants
        .find((one) => one.name === name)
        ?.looks.map(({ isTroubled }) => isTroubled)
    expect(await looksOf('ledger-balances')).toEqual([true])
    expect(await looksOf('accepted-once')).toEqual([false])
    await look()
    expect(await looksOf('ledger-balances')).toEqual([true])
    await app.db.travel('11 minutes')
    await look()
    expect(await looksOf('ledger-balances')).toEqual([false])
  })

  test('a tick looks, and a tick whose look fails goes well', async () => {
    await app.db.travel('31 seconds')
    const before = (await seenBy(olga, here())).lookedAt
    await runTick(app.db.pool, 'test', silent, { promise: new PromiseWatch(app.db.pool, silent) })
    expect((await seenBy(olga, here())).lookedAt).not.toBe(before)
    await app.db.travel('31 seconds')
    await app.db.pool.query('ALTER TABLE promise_looks RENAME TO hidden_looks')
    const summary = await runTick(app.db.pool, 'test', silent, { promise: new PromiseWatch(app.db.pool, silent) })
    await app.db.pool.query('ALTER TABLE hidden_looks RENAME TO promise_looks')
    expect(summary.planningErrors).toEqual([])
  })
})

describe('what became of everything', () => {
  test('accepted, unknown and how it was settled, and both ledgers, add up for the workspace alone', async () => {
    const provider = new TestProvider()
    provider.answer = ({ message }, count) =>
      count <= 5
        ? { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' }
        : { kind: 'accepted', messageId: message.messageId }
    const { workspaceId, mailboxIds } = place.campaign
    const more = await makeDueCampaign(app.db.pool, { in: { workspaceId, mailboxIds }, prospects: 8 })
    await sendAll(app.db.pool, provider)
    await app.db.travel('10 minutes')
    const { rows } = await app.db.pool.query<{ id: string }>(
      `SELECT id FROM scheduled_emails WHERE campaign_id = $1 AND status = 'OUTCOME_UNKNOWN' ORDER BY id`,
      [more.campaignId],
    )
    const [delivered = '', again = '', dismissed = '', proven = '', open = ''] = rows.map(({ id }) => id)
    await inTransaction(app.db.pool, async (tx) => {
      await assumeDelivered(tx, workspaceId, [delivered])
      await sendAgain(tx, workspaceId, [again], 60_000)
      await dismiss(tx, workspaceId, [dismissed])
      await learnLate(tx, proven)
    })
    provider.answer = ({ message }) => ({ kind: 'accepted', messageId: message.messageId })
    await sendAll(app.db.pool, provider)
    const { accepted, unknowns, ledgers } = await readPromise(app.db.pool, workspaceId)
    expect(open).not.toBe('')
    expect(unknowns).toMatchObject({
      total: 5,
      ways: { open: 1, evidence: 1, delivered: 1, 'sent-again': 1, dismissed: 1, otherwise: 0 },
      acceptedAgain: 0,
    })
    expect(ledgers).toMatchObject({
      enrolments: { total: 9 },
      emails: { total: 10, wanted: 10, SENT: 7, OUTCOME_UNKNOWN: 1, CANCELLED: 1, SCHEDULED: 1 },
      balances: true,
    })
    expect(accepted).toBe(6)
    expect(await examine(app.db.pool)).toEqual([])
    expect((await seenBy(otto)).unknowns.total).toBe(0)
  })
})

/** The provider says after all that it has accepted it. */
async function learnLate(tx: Sql, id: string): Promise<void> {
  const { rows } = await tx.query<Pick<Settlement, 'id' | 'leaseToken' | 'worker' | 'claimedAt' | 'mailboxId'>>(
    `SELECT e.id, a.lease_token AS "leaseToken", a.worker, a.started_at AS "claimedAt", e.mailbox_id AS "mailboxId"
     FROM scheduled_emails e JOIN email_attempts a ON a.email_id = e.id WHERE e.id = $1`,
    [id],
  )
  const outcome = { kind: 'accepted', messageId: '<late@acme.test>' } as const
  await settle(
    tx,
    rows.map((row) => ({ ...row, marked: true as const, outcome })),
  )
}
