import pino from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import { unsubscribeReader } from '#lib/audience/prospects/unsubscribe.ts'
import { pauseCampaign } from '#lib/campaigns/move.ts'
import { Settling } from '#lib/delivery/settling.ts'
import { changePeople } from '#lib/email-scheduler/effects/change-people.ts'
import { changeMailbox } from '#lib/email-scheduler/mailboxes/change-mailbox.ts'
import { type ClaimedEmail, claimNext } from '#lib/email-scheduler/send/claim.ts'
import { checkAndMark, type ReadyEmail, type WrittenFrom } from '#lib/email-scheduler/send/final-check.ts'
import { holdSending, liftHold } from '#lib/email-scheduler/send/hold.ts'
import { parkIncomplete } from '#lib/email-scheduler/send/park-incomplete.ts'
import { recover } from '#lib/email-scheduler/send/recover.ts'
import { reservePlaces } from '#lib/email-scheduler/send/reservation.ts'
import { settle } from '#lib/email-scheduler/send/settle.ts'
import { renderEmails } from '#lib/mail/message/render-emails.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { changePostalAddress } from '#lib/tenancy/workspaces/postal-address.ts'
import { consequencesIn } from '#lib/wiring/audience.ts'
import { type DueCampaign, makeDueCampaign } from '#tests/support/data/emails.ts'
import { makeKey, makeKeyring } from '#tests/support/data/keys.ts'
import { actor } from '#tests/support/data/people.ts'
import { until } from '#tests/support/faults/waiting.ts'
import { readyFrom } from '#tests/support/mail/ready-email.ts'
import { testHasherIn } from '#tests/support/mail/sending.ts'
import { heldOpen, testDatabase } from '#tests/support/server/database.ts'

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

const lookAt = ({ campaign, emails }: Claimed, ready: ReadyEmail[]) =>
  checkAndMark(db.pool, emails[0]?.mailboxId ?? '', campaign.workspaceId, ready, SUBMIT_MS)

const readyFor = ({ emails }: Claimed) => Promise.all(emails.map((email) => readyFrom(db.pool, email)))

const look = async (claimed: Claimed) => lookAt(claimed, await readyFor(claimed))

/** What people and readers do, in a transaction of theirs. */
const CHANGES: Record<string, { change: (tx: Sql, claimed: Claimed) => Promise<unknown>; refusedBy: string }> = {
  'the campaign was paused': {
    change: (tx, { campaign }) => pauseCampaign(tx, campaign.workspaceId, campaign.campaignId, actor),
    refusedBy: 'campaign-running',
  },
  'the person was paused in this campaign': {
    change: async (tx, { campaign: { workspaceId, campaignId }, prospectId }) => {
      const { rows } = await tx.query<{ id: string }>(
        'SELECT id FROM campaign_prospects WHERE campaign_id = $1 AND prospect_id = $2',
        [campaignId, prospectId],
      )
      const wanted = { action: 'pause' as const, enrolmentIds: rows.map(({ id }) => id) }
      return changePeople(tx, workspaceId, campaignId, wanted, actor)
    },
    refusedBy: 'prospect-active',
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
  test('after the claim: the final check refuses the mark', async () => {
    const claimed = await claimOne()
    const ready = await readyFor(claimed)
    await inTransaction(db.pool, (tx) => change(tx, claimed))
    const { marked, released } = await lookAt(claimed, ready)
    expect(marked).toEqual([])
    expect(released).toMatchObject([{ code: refusedBy, answer: { answer: 'released' } }])
  })
})

test.each(['the campaign was paused', 'the reader unsubscribed'])(
  'while %s and the answer is still to come, the final check waits for it',
  async (name) => {
    const claimed = await claimOne()
    const ready = await readyFor(claimed)
    const tx = await db.pool.connect()
    await tx.query('BEGIN')
    await CHANGES[name]?.change(tx, claimed)
    let isOver = false
    const looking = lookAt(claimed, ready).finally(() => {
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

test('what was claimed before sending was held is not handed over after it', async () => {
  const claimed = await claimOne()
  await holdSending(db.pool)
  const { marked, released } = await look(claimed)
  await liftHold(db.pool, 'a test')
  expect(marked).toEqual([])
  expect(released).toMatchObject([{ code: 'sending-held', answer: { answer: 'released', status: 'SCHEDULED' } }])
})

test('once a hold has answered, nothing is marked any more: it waits for the marks that had asked before', async () => {
  const claimed = await claimOne(3)
  const ids = claimed.emails.map(({ id }) => id)
  const marks = async () => {
    const { rows } = await db.pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM scheduled_emails WHERE id = ANY($1::uuid[]) AND marked_token = lease_token',
      [ids],
    )
    return rows[0]?.count
  }
  // Between what the mark asks and what it writes.
  const inTheWay = await heldOpen(db.pool, (tx) =>
    tx.query('SELECT FROM scheduled_emails WHERE id = $1 FOR UPDATE', [ids[0]]),
  )
  const looking = look(claimed)
  await untilALockIsWaitedFor("query LIKE '%marked_token = e.lease_token%'")
  let hasAnswered = false
  const holding = holdSending(db.pool).then(() => {
    hasAnswered = true
    return marks()
  })
  await Promise.race([holding, untilALockIsWaitedFor("query LIKE 'LOCK TABLE%'")])
  expect(hasAnswered).toBe(false)
  await inTheWay.commit()
  expect((await looking).marked).toHaveLength(3)
  expect(await holding).toBe(3)
  await liftHold(db.pool, 'a test')
})

/** Until a statement of this database waits for a lock. */
async function untilALockIsWaitedFor(which: string): Promise<void> {
  await until(`a statement waits: ${which}`, async () => {
    const { rowCount } = await db.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND ${which}`,
    )
    return rowCount !== 0
  })
}

describe('an email that lacks a field', () => {
  /** What the text was written from, as it stands now for everybody else. */
  const whatIsSeen = async ({ campaign, prospectId }: Claimed) => {
    const { rows } = await db.pool.query<WrittenFrom>(
      `SELECT p.xmin::text AS prospect, s.xmin::text AS sequence, '' AS sender FROM prospects p, sequences s WHERE p.id = $1 AND s.id = $2`,
      [prospectId, campaign.sequenceId],
    )
    if (!rows[0]) throw new Error('nothing was seen')
    return rows[0]
  }
  const parkAll = ({ emails }: Claimed, writtenFrom: WrittenFrom) =>
    inTransaction(db.pool, (tx) =>
      parkIncomplete(
        tx,
        emails.map((email) => ({ email, missing: ['firstName'], writtenFrom })),
      ),
    )
  const stateOf = async ({ emails }: Claimed) => {
    const { rows } = await db.pool.query<{ blocker: string | null; is_ready: boolean }>(
      'SELECT blocker, ready_at IS NOT NULL AS is_ready FROM scheduled_emails WHERE id = $1',
      [emails[0]?.id],
    )
    return rows[0]
  }

  test('waits until it is filled in', async () => {
    const claimed = await claimOne()
    await parkAll(claimed, await whatIsSeen(claimed))
    expect(await stateOf(claimed)).toEqual({ blocker: 'merge-fields-complete', is_ready: false })
  })

  test('goes back as it was when it was filled in after the claim: that cure will not come again', async () => {
    const claimed = await claimOne()
    const seen = await whatIsSeen(claimed)
    await db.pool.query(`UPDATE prospects SET first_name = 'Ada', updated_at = app_now() WHERE id = $1`, [
      claimed.prospectId,
    ])
    await parkAll(claimed, seen)
    expect(await stateOf(claimed)).toEqual({ blocker: null, is_ready: true })
  })

  test.each(['prospects', 'sequences'])(
    'goes back as it was when the cure, of %s, was under way at the claim and answered after it',
    async (table) => {
      const campaign = await makeDueCampaign(db.pool, { prospects: 1 })
      const prospectId = campaign.emails[0]?.prospectId ?? ''
      const cure = await db.pool.connect()
      await cure.query('BEGIN')
      // In the very millisecond of the change before: a time would not tell the two apart.
      await cure.query(`UPDATE ${table} SET updated_at = updated_at WHERE id = $1`, [
        table === 'prospects' ? prospectId : campaign.sequenceId,
      ])
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

test.each(['prospects', 'sequences'])(
  'an email that was written before a change of %s is not handed over, also where both fall into one millisecond',
  async (table) => {
    const claimed = await claimOne()
    const ready = await readyFor(claimed)
    const id = table === 'prospects' ? claimed.prospectId : claimed.campaign.sequenceId
    await db.pool.query(`UPDATE ${table} SET updated_at = updated_at WHERE id = $1`, [id])
    const { marked, released } = await lookAt(claimed, ready)
    expect(marked).toEqual([])
    expect(released).toMatchObject([{ code: table === 'prospects' ? 'prospect-changed' : 'text-changed' }])
  },
)

describe('what an email says of its sender is what stands there at the mark', () => {
  const by = { appUrl: 'https://mail.example.com/', keyring: makeKeyring(makeKey('test')) }
  const changes: Record<string, (tx: Sql, claimed: Claimed) => Promise<unknown>> = {
    'the display name': (tx, { campaign }) =>
      changeMailbox(tx, campaign.workspaceId, campaign.mailboxId, { displayName: 'Beth' }, actor),
    'the postal address': (tx, { campaign }) =>
      changePostalAddress(tx, { id: campaign.workspaceId, name: 'Acme' }, actor, '7 New Road'),
  }

  async function write({ emails }: Claimed): Promise<ReadyEmail> {
    const [email] = emails
    if (!email) throw new Error('nothing was claimed')
    const rendered = (await renderEmails(db.pool, [email], by)).get(email.id)
    if (rendered?.kind !== 'content') throw new Error(`it was not written: ${JSON.stringify(rendered)}`)
    return { email, content: rendered.content, origin: { kind: 'written', from: rendered.writtenFrom } }
  }

  test.each(Object.entries(changes))('%s was changed after it was written: it is written anew', async (_, change) => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 1, settings: { postal_address: '1 High Street' } })
    await db.pool.query(
      `UPDATE sequence_steps SET subject = 'Hello', body_text = 'From {{senderName}}' WHERE sequence_id = $1`,
      [campaign.sequenceId],
    )
    const claim = async (): Promise<Claimed> => {
      const claimed = await claimNext(db.pool, BY, 1)
      if (claimed.kind !== 'claimed') throw new Error('nothing was claimed')
      return { campaign, emails: claimed.emails, prospectId: claimed.emails[0]?.prospectId ?? '' }
    }
    const first = await claim()
    const ready = await write(first)
    await inTransaction(db.pool, (tx) => change(tx, first))
    const { marked, released } = await lookAt(first, [ready])
    expect(marked).toEqual([])
    expect(released).toMatchObject([{ code: 'sender-changed', answer: { status: 'SCHEDULED' } }])
    const again = await claim()
    const anew = await write(again)
    expect(anew.content.text).not.toBe(ready.content.text)
    expect((await lookAt(again, [anew])).marked).toHaveLength(1)
  })
})

test('what was claimed together leaves one by one once pauses are set', async () => {
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
  const settling = new Settling(db.pool, pino({ level: 'warn' }, { write: () => isRefused() }), testHasherIn)
  const given: string[] = []
  const first = settling.add({ ...bad, outcome: { kind: 'accepted', messageId: 'a\0b' } }).then(() => given.push('bad'))
  await refused
  await settling.add({ ...good, outcome: { kind: 'accepted', messageId: '<a@acme.test>' } })
  expect(given).toEqual([])
  await first
})

test('two changes of a mailbox within one millisecond are two versions of it, and a claim is none', async () => {
  await makeDueCampaign(db.pool, { prospects: 3 })
  const versionAtClaim = async () => {
    const claim = await claimNext(db.pool, BY, 1)
    if (claim.kind !== 'claimed') throw new Error('nothing was claimed')
    return { id: claim.mailbox.id, version: claim.mailbox.version }
  }
  const first = await versionAtClaim()
  expect(await versionAtClaim()).toEqual(first)
  await db.pool.query('UPDATE mailboxes SET updated_at = updated_at WHERE id = $1', [first.id])
  expect((await versionAtClaim()).version).not.toBe(first.version)
})

test('a pause that waits for one mark is not overtaken by the next', async () => {
  const claimed = await claimOne(2)
  const [first, second] = await readyFor(claimed)
  if (!first || !second) throw new Error('nothing was claimed')
  const waiting = async () => {
    const { rows } = await db.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    return rows[0]?.count ?? 0
  }
  // The first mark has come as far as its email's own row, and holds the campaign.
  const blocking = await heldOpen(db.pool, (tx) =>
    tx.query('SELECT FROM scheduled_emails WHERE id = $1 FOR UPDATE', [first.email.id]),
  )
  const looking = lookAt(claimed, [first])
  while ((await waiting()) < 1);
  const pausing = inTransaction(db.pool, (tx) =>
    pauseCampaign(tx, claimed.campaign.workspaceId, claimed.campaign.campaignId, actor),
  )
  while ((await waiting()) < 2);
  let isOver = false
  const next = lookAt(claimed, [second]).finally(() => {
    isOver = true
  })
  while (!isOver && (await waiting()) < 3);
  await blocking.commit()
  await pausing
  expect((await looking).marked).toHaveLength(1)
  const { marked, released } = await next
  expect(marked).toEqual([])
  expect(released).toMatchObject([{ code: 'campaign-running' }])
})
