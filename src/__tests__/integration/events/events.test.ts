import { expect, test } from 'vitest'
import { eraseProspect } from '#lib/audience/prospects/erase-prospect.ts'
import type { Refused, SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { claimNext } from '#lib/email-scheduler/send/claim.ts'
import { mark } from '#lib/email-scheduler/send/mark.ts'
import { settle } from '#lib/email-scheduler/send/settle.ts'
import type { Settlement } from '#lib/email-scheduler/send/settlement.ts'
import { assumeDelivered } from '#lib/email-scheduler/verbs/resolve.ts'
import { appendEvents, type NewEvent } from '#lib/events/append-events.ts'
import { listEvents } from '#lib/events/list-events.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { consequencesIn } from '#lib/wiring/audience.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { actor } from '#tests/support/data/people.ts'
import { testHasherIn } from '#tests/support/mail/sending.ts'
import { heldOpen, testDatabase } from '#tests/support/server/database.ts'

/** What is written down of people, in the transactions that change them, on several connections. */
const db = testDatabase()

const ACCEPTED: SendOutcome = { kind: 'accepted', messageId: '<a@acme.test>' }
const BOUNCE: Refused = { kind: 'rejected', scope: 'recipient', code: 'HARD_BOUNCE', reason: 'No such user.' }
const REFUSED: Refused = { kind: 'rejected', scope: 'message', code: 'MESSAGE_REFUSED', reason: 'Spam.' }

async function marked(prospects: number) {
  await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`)
  const campaign = await makeDueCampaign(db.pool, { prospects, delays: [0, 1] })
  const claim = await claimNext(db.pool, { worker: 'worker-1', leaseMs: 60_000 }, prospects)
  if (claim.kind !== 'claimed') throw new Error('nothing was claimed')
  await inTransaction(db.pool, (tx) => mark(tx, claim.emails, 10_000))
  return { ...campaign, emails: claim.emails.map((email) => ({ ...email, marked: true as const })) }
}

async function eventsOf(workspaceId: string, prospectId?: string | null) {
  const { rows } = await db.pool.query<{ type: string; emailId: string | null; stepNumber: number | null }>(
    `SELECT type, email_id AS "emailId", step_number AS "stepNumber" FROM person_events
     WHERE workspace_id = $1 AND ($2::uuid IS NULL OR prospect_id = $2) ORDER BY id`,
    [workspaceId, prospectId ?? null],
  )
  return rows
}

test('what a settlement says of emails is told once for each person, in its own transaction', async () => {
  const { workspaceId, emails } = await marked(4)
  const [sent, refused, bounced, unknown] = emails
  if (!sent || !refused || !bounced || !unknown) throw new Error('too few emails')
  const settlements: Settlement[] = [
    { ...sent, outcome: ACCEPTED },
    { ...refused, outcome: REFUSED },
    { ...bounced, outcome: BOUNCE },
    { ...unknown, outcome: { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' } },
  ]
  const taken = inTransaction(db.pool, async (tx) => {
    await settle(tx, settlements, testHasherIn)
    throw new Error('taken back')
  })
  await expect(taken).rejects.toThrow('taken back')
  expect(await eventsOf(workspaceId)).toEqual([])

  for (let times = 0; times < 2; times += 1) await inTransaction(db.pool, (tx) => settle(tx, settlements, testHasherIn))
  const told = (email: typeof sent) => eventsOf(workspaceId, email.prospectId)
  expect(await told(sent)).toEqual([{ type: 'SENT', emailId: sent.id, stepNumber: 1 }])
  expect(await told(refused)).toEqual([{ type: 'FAILED', emailId: refused.id, stepNumber: 1 }])
  expect((await told(bounced)).map(({ type, emailId }) => [type, emailId]).sort()).toEqual([
    ['BOUNCED', bounced.id],
    ['FAILED', bounced.id],
  ])
  expect(await told(unknown)).toEqual([])

  await inTransaction(db.pool, (tx) => assumeDelivered(tx, workspaceId, [unknown.id]))
  const { rows } = await db.pool.query<{ isTime: boolean }>(
    `SELECT v.occurred_at = e.submit_started_at AS "isTime" FROM person_events v JOIN scheduled_emails e ON e.id = v.email_id
     WHERE v.email_id = $1 AND v.type = 'SENT'`,
    [unknown.id],
  )
  expect(rows).toEqual([{ isTime: true }])
})

const custom = (workspaceId: string, prospectId: string, dedupeKey: string): NewEvent => ({
  ...{ workspaceId, prospectId, type: 'CUSTOM', name: 'bought', dedupeKey },
})

test('the same thing told by twenty at once, in either order, is one event, and only one of them hears that it is new', async () => {
  const [workspaceId, prospectId] = [newId(), newId()]
  const events = Array.from({ length: 30 }, (_, index) => custom(workspaceId, prospectId, `custom:${index}`))
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, teller) =>
      inTransaction(db.pool, (tx) => appendEvents(tx, teller % 2 ? events : events.toReversed())),
    ),
  )
  expect(answers.flat()).toHaveLength(30)
  expect(await eventsOf(workspaceId)).toHaveLength(30)
})

test('ids rise in the order given; a late commit stands where it was written, and whoever reads then finds it', async () => {
  const [workspaceId, prospectId] = [newId(), newId()]
  const names = ['z', 'a', 'm'].map((name) => custom(workspaceId, prospectId, name))
  const appended = await inTransaction(db.pool, (tx) => appendEvents(tx, names))
  expect(appended.toSorted((a, b) => a.id - b.id).map(({ dedupeKey }) => dedupeKey)).toEqual(['z', 'a', 'm'])

  const keys = async () => {
    const { rows } = await db.pool.query<{ key: string }>(
      'SELECT dedupe_key AS key FROM person_events WHERE prospect_id = $1 ORDER BY id',
      [prospectId],
    )
    return rows.map(({ key }) => key).slice(3)
  }
  const late = await heldOpen(db.pool, (tx) => appendEvents(tx, [custom(workspaceId, prospectId, 'late')]))
  await inTransaction(db.pool, (tx) => appendEvents(tx, [custom(workspaceId, prospectId, 'early')]))
  expect(await keys()).toEqual(['early'])
  await late.commit()
  expect(await keys()).toEqual(['late', 'early'])
  const page = await listEvents(db.pool, workspaceId, [prospectId], { limit: 3 })
  expect(page.events).toHaveLength(3)
  const rest = await listEvents(db.pool, workspaceId, [prospectId], { limit: 3, cursor: page.nextCursor ?? '' })
  expect([rest.events.length, rest.nextCursor]).toEqual([2, null])
})

test('an event is never changed or deleted; with its person only what is personal goes', async () => {
  const { workspaceId, emails } = await marked(1)
  const prospectId = emails[0]?.prospectId ?? ''
  await inTransaction(db.pool, (tx) =>
    appendEvents(tx, [{ ...custom(workspaceId, prospectId, 'custom:1'), data: { product: 'crutches' } }]),
  )
  for (const statement of [
    `UPDATE person_events SET occurred_at = app_now() - interval '1 day'`,
    `UPDATE person_events SET data = '{"product": "none"}'`,
    `UPDATE person_events SET name = 'sold'`,
    'DELETE FROM person_events',
    'TRUNCATE person_events',
  ])
    await expect(db.pool.query(statement)).rejects.toThrow(/only appended|never deleted/)
  await inTransaction(db.pool, (tx) => eraseProspect(tx, workspaceId, prospectId, actor, consequencesIn(workspaceId)))
  const { events } = await listEvents(db.pool, workspaceId, [prospectId], { limit: 10 })
  expect(events).toMatchObject([{ type: 'CUSTOM', name: 'erased', data: {} }])
})

test('appending a hundred is one statement, and reads no table', async () => {
  const { rows } = await db.pool.query<{ plan: string }>(
    `SELECT indexdef AS plan FROM pg_indexes WHERE tablename = 'person_events' ORDER BY indexdef LIKE '%WHERE%', 1`,
  )
  // What is told of every email that is sent is written into three of them.
  expect(rows).toHaveLength(4)
  expect(rows.at(-1)?.plan).toMatch(/person_events_awaited_idx.* WHERE \(type <> ALL .*SENT.*FAILED/)
  let statements = 0
  const counting = {
    query: (...given: unknown[]) => {
      statements += 1
      return Reflect.apply(db.pool.query, db.pool, given)
    },
  } as Pick<typeof db.pool, 'query'>
  const [workspaceId, prospectId] = [newId(), newId()]
  await appendEvents(
    counting as Parameters<typeof appendEvents>[0],
    Array.from({ length: 100 }, (_, n) => custom(workspaceId, prospectId, `${n}`)),
  )
  await appendEvents(counting as Parameters<typeof appendEvents>[0], [])
  expect(statements).toBe(1)
})
