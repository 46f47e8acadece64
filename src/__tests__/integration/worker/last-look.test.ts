import pino from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import { consequencesIn } from '#app/api/prospects/audience.ts'
import { unsubscribeReader } from '#lib/audience/unsubscribe.ts'
import { pauseCampaign } from '#lib/campaigns/move.ts'
import type { ClaimedEmail } from '#lib/email-scheduler/claim.ts'
import { claimNext } from '#lib/email-scheduler/claim-next.ts'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import { holdSending, liftHold } from '#lib/email-scheduler/hold.ts'
import { lookAndMark, type ReadyEmail } from '#lib/email-scheduler/last-look.ts'
import { parkIncomplete } from '#lib/email-scheduler/park-incomplete.ts'
import { recover } from '#lib/email-scheduler/recover.ts'
import { reservePlaces } from '#lib/email-scheduler/reserve.ts'
import { settle } from '#lib/email-scheduler/settle.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { Settling } from '#lib/worker/settling.ts'
import { actor } from '#tests/support/audience.ts'
import { testDatabase } from '#tests/support/database.ts'
import { type DueCampaign, makeDueCampaign } from '#tests/support/sending.ts'

const db = testDatabase()
const BY = { worker: 'worker-1', leaseMs: 60_000 }
const SUBMIT_MS = 10_000
// All tests share a database, and a claim takes what is due in any workspace.
afterEach(() => db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status IN ('RUNNING', 'PAUSED')`))

type Claimed = { campaign: DueCampaign; emails: ClaimedEmail[]; prospectId: string }

async function claimOne(prospects = 1): Promise<Claimed> {
  const campaign = await makeDueCampaign(db.pool, { prospects })
  const claim = await claimNext(db.pool, BY, prospects)
  if (claim.kind !== 'claimed') throw new Error('nothing was claimed')
  return { campaign, emails: claim.emails, prospectId: claim.emails[0]?.prospectId ?? '' }
}

function readyFrom(email: ClaimedEmail): ReadyEmail {
  const content: EmailContent = {
    from: { name: 'Ann', address: 'ann@acme.test' },
    to: { name: '', address: 'bob@example.test' },
    subject: 'Hello',
    text: 'Hello',
    html: '',
    messageId: `<${email.id}@acme.test>`,
    date: new Date('2026-11-18T10:00:00Z'),
    headers: {},
  }
  return { email, content, prospectUpdatedAt: null }
}

const look = ({ campaign, emails }: Claimed) =>
  lookAndMark(db.pool, emails[0]?.mailboxId ?? '', campaign.workspaceId, emails.map(readyFrom), SUBMIT_MS)

/** What people and readers do, in a transaction of theirs. */
const CHANGES: Record<string, { change: (tx: Sql, claimed: Claimed) => Promise<unknown>; refusedBy: string }> = {
  'the campaign was paused': {
    change: (tx, { campaign }) => pauseCampaign(tx, campaign.workspaceId, campaign.campaignId, actor),
    refusedBy: 'campaign-running',
  },
  'the reader unsubscribed': {
    change: (tx, { campaign: { workspaceId }, prospectId }) =>
      unsubscribeReader(tx, { workspaceId, prospectId }, 'one-click', consequencesIn(workspaceId).cancelWaiting),
    refusedBy: 'prospect-active',
  },
  'the address was suppressed': {
    change: (tx, { prospectId }) =>
      tx.query(
        `INSERT INTO suppressions (id, workspace_id, kind, value, value_hash, source)
         SELECT gen_random_uuid(), workspace_id, 'ADDRESS', email, email_hash, 'PERSON' FROM prospects WHERE id = $1`,
        [prospectId],
      ),
    refusedBy: 'not-suppressed',
  },
}

describe.each(Object.entries(CHANGES))('%s', (_, { change, refusedBy }) => {
  test('after the claim: the last look refuses the mark', async () => {
    const claimed = await claimOne()
    await inTransaction(db.pool, (tx) => change(tx, claimed))
    const { marked, released } = await look(claimed)
    expect(marked).toEqual([])
    expect(released).toMatchObject([{ code: refusedBy, answer: { answer: 'released' } }])
  })
})

test.each(['the campaign was paused', 'the reader unsubscribed'])(
  'while %s and the answer is still to come, the last look waits for it',
  async (name) => {
    const claimed = await claimOne()
    const tx = await db.pool.connect()
    await tx.query('BEGIN')
    await CHANGES[name]?.change(tx, claimed)
    let isOver = false
    const looking = look(claimed).finally(() => {
      isOver = true
    })
    const waits = async () =>
      (
        await db.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
      ).rowCount !== 0
    while (!isOver && !(await waits()));
    await tx.query('COMMIT')
    tx.release()
    const { marked } = await looking
    expect(marked).toEqual([])
  },
)

test('a place beyond either limit is not given, whatever the caller has counted before', async () => {
  const { workspaceId, mailboxIds } = await makeDueCampaign(db.pool)
  const place = { workspaceId, mailboxId: mailboxIds[0] ?? '', localDate: '2026-11-18', count: 2 }
  const take = (limits: { workspaceLimit: number; mailboxLimit: number }) =>
    inTransaction(db.pool, (tx) => reservePlaces(tx, { ...place, ...limits }))
  expect(await take({ workspaceLimit: 3, mailboxLimit: 3 })).toBe(true)
  expect(await take({ workspaceLimit: 3, mailboxLimit: 10 })).toBe(false)
  expect(await take({ workspaceLimit: 10, mailboxLimit: 3 })).toBe(false)
})

test('a lost worker’s places come back for what it had not marked, and stay taken for what it had', async () => {
  const claimed = await claimOne(3)
  const [first] = claimed.emails
  await look({ ...claimed, emails: first ? [first] : [] })
  await db.travel('2 minutes')
  await inTransaction(db.pool, (tx) => recover(tx, 100))
  const { rows } = await db.pool.query(
    `SELECT (SELECT sum(reserved)::int FROM workspace_days WHERE workspace_id = $1) AS workspace,
       (SELECT sum(reserved)::int FROM mailbox_days WHERE mailbox_id = $2) AS mailbox`,
    [claimed.campaign.workspaceId, first?.mailboxId],
  )
  expect(rows).toEqual([{ workspace: 1, mailbox: 1 }])
})

test('a holder whose lease has passed to another marks nothing', async () => {
  const claimed = await claimOne()
  await db.travel('2 minutes')
  await inTransaction(db.pool, (tx) => recover(tx, 100))
  const again = await claimNext(db.pool, BY, 1)
  expect(again).toMatchObject({ kind: 'claimed', emails: [{ leaseToken: 2 }] })
  const { marked, lost } = await look(claimed)
  expect(marked).toEqual([])
  expect(lost).toMatchObject([{ why: 'lost-lease' }])
})

test('an answer to a lease that has passed to another does not end the other’s attempt', async () => {
  const { emails } = await claimOne()
  const [first] = emails
  if (!first) throw new Error('nothing was claimed')
  await db.travel('2 minutes')
  await inTransaction(db.pool, (tx) => recover(tx, 100))
  expect(await claimNext(db.pool, BY, 1)).toMatchObject({ kind: 'claimed', emails: [{ id: first.id, leaseToken: 2 }] })
  const outcome = { kind: 'retry', scope: 'mailbox', code: 'ECONNREFUSED', reason: 'No connection.' } as const
  const answers = await inTransaction(db.pool, (tx) => settle(tx, [{ ...first, marked: false, outcome }])).catch(String)
  expect(answers).toMatchObject([{ answer: 'already-settled' }])
  const { rows } = await db.pool.query('SELECT status, lease_token FROM scheduled_emails WHERE id = $1', [first.id])
  expect(rows).toEqual([{ status: 'SENDING', lease_token: 2 }])
})

test('where pauses are set, a mailbox has one email in flight, also before its mark', async () => {
  await makeDueCampaign(db.pool, { prospects: 3, settings: { jitter_min_seconds: 1, jitter_max_seconds: 3 } })
  const first = await claimNext(db.pool, BY, 3)
  expect(first.kind === 'claimed' && first.emails).toHaveLength(1)
  expect(await claimNext(db.pool, { ...BY, worker: 'worker-2' }, 3)).not.toMatchObject({ kind: 'claimed' })
})

test('Postgres itself refuses a second email with the same key', async () => {
  const { campaign } = await claimOne()
  const copy = db.pool.query(
    `INSERT INTO scheduled_emails (id, workspace_id, campaign_id, campaign_prospect_id, prospect_id, sequence_id, step_number,
       mailbox_id, idempotency_key, scheduled_for, local_date, updated_at)
     SELECT gen_random_uuid(), workspace_id, campaign_id, campaign_prospect_id, prospect_id, sequence_id, step_number,
       mailbox_id, idempotency_key, scheduled_for, local_date, updated_at FROM scheduled_emails WHERE campaign_id = $1`,
    [campaign.campaignId],
  )
  const refusedBy = await copy.then(
    () => 'nothing',
    (error: { constraint?: string }) => error.constraint,
  )
  expect(refusedBy).toBe('scheduled_emails_idempotency_key_key')
})

test('what was claimed before somebody held sending is not handed over after it', async () => {
  const claimed = await claimOne()
  await holdSending(db.pool)
  const { marked, released } = await look(claimed)
  await liftHold(db.pool, 'a test')
  expect(marked).toEqual([])
  expect(released).toMatchObject([{ code: 'sending-held', answer: { answer: 'released', status: 'SCHEDULED' } }])
})

describe('an email that lacks a field', () => {
  type Seen = { prospectUpdatedAt: Date; stepUpdatedAt: Date }
  /** What the text was written from, as it stands now for everybody else. */
  const whatIsSeen = async ({ campaign, prospectId }: Claimed) => {
    const { rows } = await db.pool.query<Seen>(
      `SELECT p.updated_at AS "prospectUpdatedAt", s.updated_at AS "stepUpdatedAt" FROM prospects p, sequence_steps s
       WHERE p.id = $1 AND s.sequence_id = $2`,
      [prospectId, campaign.sequenceId],
    )
    if (!rows[0]) throw new Error('nothing was seen')
    return rows[0]
  }
  const parkAll = ({ emails }: Claimed, seen: Seen) =>
    inTransaction(db.pool, (tx) =>
      parkIncomplete(
        tx,
        emails.map((email) => ({ email, missing: ['firstName'], ...seen })),
      ),
    )
  const stateOf = async ({ emails }: Claimed) => {
    const { rows } = await db.pool.query<{ blocker: string | null; is_ready: boolean }>(
      'SELECT blocker, ready_at IS NOT NULL AS is_ready FROM scheduled_emails WHERE id = $1',
      [emails[0]?.id],
    )
    return rows[0]
  }

  test('waits until somebody fills it in', async () => {
    const claimed = await claimOne()
    await parkAll(claimed, await whatIsSeen(claimed))
    expect(await stateOf(claimed)).toEqual({ blocker: 'merge-fields-complete', is_ready: false })
  })

  test('goes back as it was when somebody did so after the claim: that cure will not come again', async () => {
    const claimed = await claimOne()
    const seen = await whatIsSeen(claimed)
    await db.pool.query(`UPDATE prospects SET first_name = 'Ada', updated_at = app_now() WHERE id = $1`, [
      claimed.prospectId,
    ])
    await parkAll(claimed, seen)
    expect(await stateOf(claimed)).toEqual({ blocker: null, is_ready: true })
  })

  test.each(['prospects', 'sequence_steps'])(
    'goes back as it was when the cure, of %s, was under way at the claim and answered after it',
    async (table) => {
      const campaign = await makeDueCampaign(db.pool, { prospects: 1 })
      const prospectId = campaign.emails[0]?.prospectId ?? ''
      const cure = await db.pool.connect()
      await cure.query('BEGIN')
      await cure.query(
        `UPDATE ${table} SET updated_at = app_now() WHERE ${table === 'prospects' ? 'id' : 'sequence_id'} = $1`,
        [table === 'prospects' ? prospectId : campaign.sequenceId],
      )
      await db.pool.query('SELECT pg_sleep(0.01)')
      const claim = await claimNext(db.pool, BY, 1)
      if (claim.kind !== 'claimed') throw new Error('nothing was claimed')
      const claimed = { campaign, emails: claim.emails, prospectId }
      const seen = await whatIsSeen(claimed)
      await cure.query('COMMIT')
      cure.release()
      await parkAll(claimed, seen)
      expect(await stateOf(claimed)).toEqual({ blocker: null, is_ready: true })
    },
  )
})

test('an email that was written before a correction is not handed over, also where a clock that is behind dated it', async () => {
  const claimed = await claimOne()
  const [email] = claimed.emails
  if (!email) throw new Error('nothing was claimed')
  const { rows } = await db.pool.query<{ at: Date }>('SELECT updated_at AS at FROM prospects WHERE id = $1', [
    claimed.prospectId,
  ])
  await db.pool.query(
    `UPDATE prospects SET first_name = 'Ada', updated_at = updated_at - interval '1 hour' WHERE id = $1`,
    [claimed.prospectId],
  )
  const ready = { ...readyFrom(email), prospectUpdatedAt: rows[0]?.at ?? null }
  const { marked, released } = await lookAndMark(db.pool, email.mailboxId, email.workspaceId, [ready], SUBMIT_MS)
  expect(marked).toEqual([])
  expect(released).toMatchObject([{ code: 'prospect-changed' }])
})

test('what was claimed together leaves one by one once somebody has set pauses', async () => {
  const claimed = await claimOne(3)
  await db.pool.query(
    'UPDATE sending_settings SET jitter_min_seconds = 30, jitter_max_seconds = 90 WHERE workspace_id = $1',
    [claimed.campaign.workspaceId],
  )
  const { marked, released } = await look(claimed)
  expect(marked).toHaveLength(1)
  expect(released).toMatchObject([{ code: 'spacing' }, { code: 'spacing' }])
})

test('a claim that finds all it wanted in other hands rests, instead of asking again at once', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 1 })
  const other = await db.pool.connect()
  await other.query('BEGIN')
  await other.query('SELECT FROM scheduled_emails WHERE campaign_id = $1 FOR UPDATE', [campaign.campaignId])
  const claim = await claimNext(db.pool, BY, 1)
  await other.query('ROLLBACK')
  other.release()
  expect(claim).toMatchObject({ kind: 'resting', mailboxId: campaign.mailboxIds[0] })
})

test('an outcome that Postgres refuses again and again holds up none that comes after it', async () => {
  const claimed = await claimOne(2)
  const { marked } = await look(claimed)
  const [bad, good] = marked.map(({ email }) => ({ ...email, marked: true as const }))
  if (!bad || !good) throw new Error('nothing was marked')
  let isRefused = () => {}
  const refused = new Promise<void>((done) => {
    isRefused = done
  })
  const settling = new Settling(db.pool, pino({ level: 'warn' }, { write: () => isRefused() }))
  const given: string[] = []
  const first = settling.add({ ...bad, outcome: { kind: 'accepted', messageId: 'a\0b' } }).then(() => given.push('bad'))
  await refused
  await settling.add({ ...good, outcome: { kind: 'accepted', messageId: '<a@acme.test>' } })
  expect(given).toEqual([])
  await first
}, 20_000)
