import { beforeEach, describe, expect, test } from 'vitest'
import { findProspectIds } from '#lib/audience/find-prospects.ts'
import { changeProspect } from '#lib/audience/prospects/change-prospect.ts'
import { createProspect } from '#lib/audience/prospects/create-prospect.ts'
import { eraseProspect } from '#lib/audience/prospects/erase-prospect.ts'
import { mergeProspects } from '#lib/audience/prospects/merge-prospects.ts'
import { addSuppression } from '#lib/audience/suppression/suppressions.ts'
import { enrolProspects } from '#lib/campaigns/enrol.ts'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { sendAgain } from '#lib/email-scheduler/verbs/resolve.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails, statusesOf } from '#tests/support/data/emails.ts'
import { makeKey } from '#tests/support/data/keys.ts'
import { actor } from '#tests/support/data/people.ts'
import { type Audience, audienceOf, importFile } from '#tests/support/data/prospects.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { heldOpen, testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

/** A copy goes to the address that is its recipient's now, and to no other; an address that was once a person's stays theirs. */
const db = testDatabase()

const LATER: SendOutcome = { kind: 'retry', scope: 'recipient', code: 'GREYLISTED', reason: 'Come back later.' }
const UNKNOWN: SendOutcome = { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' }
const BOUNCE: SendOutcome = { kind: 'rejected', scope: 'recipient', code: 'HARD_BOUNCE', reason: 'No such user.' }
const ACCEPTED: SendOutcome = { kind: 'accepted', messageId: '<a@acme.test>' }

let audience: Audience
let workspaceId: string
let mailboxIds: string[]
let campaign: TestCampaign
let provider: TestProvider

beforeEach(async () => {
  await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`)
  const settings = { daily_quota: 1000, jitter_min_seconds: 0, jitter_max_seconds: 0 }
  ;({ workspaceId, mailboxIds } = await makeWorkspace(db.pool, { settings, limits: { dailyLimit: 1000 } }))
  audience = await audienceOf(db.pool, workspaceId, makeKey('test'))
  campaign = await makeCampaign(db.pool, { in: { workspaceId, mailboxIds } })
  provider = new TestProvider()
})

const tx = <T>(work: (sql: Sql) => Promise<T>) => inTransaction(db.pool, work)

async function add(email: string): Promise<string> {
  const { workspaceId, hash, consequences } = audience
  const { prospect } = await tx((sql) => createProspect(sql, workspaceId, hash, { email }, consequences))
  return prospect.id
}

const change = (id: string, email: string) =>
  tx((sql) => changeProspect(sql, workspaceId, audience.hash, id, { email }, actor, audience.consequences))

const merge = (winnerId: string, loserId: string) =>
  tx((sql) => mergeProspects(sql, workspaceId, { winnerId, loserId }, actor, audience.consequences))

const suppressAddress = (value: string) =>
  addSuppression(
    db.pool,
    workspaceId,
    audience.hash,
    { value, source: 'PERSON' },
    actor,
    audience.consequences.cancelWaiting,
  )

const refusalOf = (asked: Promise<unknown>) => asked.catch((error: unknown) => error)

/** Due now; answers its id. */
async function makeDue(prospectId: string, of = campaign): Promise<string> {
  const [email] = await tx((sql) => makeEmails(sql, of, [prospectId]))
  return email?.id ?? ''
}

const send = () => sendAll(db.pool, provider)
const handedTo = () => provider.handed.map(({ message }) => message.envelope.to)

async function emailOf(id: string) {
  const { rows } = await db.pool.query('SELECT status, cancel_reason AS reason FROM scheduled_emails WHERE id = $1', [
    id,
  ])
  return rows[0]
}

describe('a frozen copy', () => {
  test('does not go to an address that was corrected and suppressed since: the retry is rendered anew', async () => {
    const prospectId = await add('old@example.test')
    const emailId = await makeDue(prospectId)
    provider.answer = (_, count) => (count === 1 ? LATER : ACCEPTED)
    await send()
    await change(prospectId, 'new@example.test')
    await suppressAddress('old@example.test')
    await db.travel('2 minutes')
    await send()
    expect(handedTo()).toEqual(['old@example.test', 'new@example.test'])
    expect(await emailOf(emailId)).toMatchObject({ status: 'SENT' })
  })

  const madeUnknown = async (address: string) => {
    const prospectId = await add(address)
    const emailId = await makeDue(prospectId)
    provider.answer = (_, count) => (count === 1 ? UNKNOWN : ACCEPTED)
    await send()
    await db.travel('10 minutes')
    return { prospectId, emailId }
  }
  const again = (emailId: string) => tx((sql) => sendAgain(sql, workspaceId, [emailId], 60_000))

  test('that may have arrived is not sent again once the address is another, nor once it is suppressed: a person hears so', async () => {
    const moved = await madeUnknown('moved@example.test')
    await change(moved.prospectId, 'elsewhere@example.test')
    expect(await again(moved.emailId)).toMatchObject([{ answer: 'address-changed', status: 'OUTCOME_UNKNOWN' }])
    provider = new TestProvider()
    const listed = await madeUnknown('listed@example.test')
    await suppressAddress('listed@example.test')
    expect(await again(listed.emailId)).toMatchObject([{ answer: 'suppressed', status: 'OUTCOME_UNKNOWN' }])
  })

  test.each([
    ['the address was changed', 'ADDRESS_CHANGED', (id: string) => change(id, `${id}@elsewhere.test`)],
    ['the address was suppressed', 'SUPPRESSED', (_: string) => suppressAddress('late@example.test')],
  ])(
    'that may have arrived is not handed over where %s after the person chose to send again',
    async (_, reason, meet) => {
      const { prospectId, emailId } = await madeUnknown('late@example.test')
      expect(await again(emailId)).toMatchObject([{ answer: 'done' }])
      await meet(prospectId)
      await send()
      expect(handedTo()).toEqual(['late@example.test'])
      expect(await emailOf(emailId)).toEqual({ status: 'CANCELLED', reason })
    },
  )
})

describe('a bounce', () => {
  test('suppresses the address that bounced, and not the one that the person has got while it was under way', async () => {
    const prospectId = await add('gone@example.test')
    await makeDue(prospectId)
    provider.answer = async () => {
      await change(prospectId, 'fresh@example.test')
      return BOUNCE
    }
    await send()
    const { rows } = await db.pool.query('SELECT value FROM suppressions WHERE workspace_id = $1', [workspaceId])
    expect(rows).toEqual([{ value: 'gone@example.test' }])
    const person = await db.pool.query('SELECT email, bounced_at FROM prospects WHERE id = $1', [prospectId])
    expect(person.rows).toEqual([{ email: 'fresh@example.test', bounced_at: null }])
    expect(await refusalOf(add('gone@example.test'))).toMatchObject({ code: 'suppressed' })
  })
})

describe('an address that a person had before', () => {
  test('is refused to everybody else, and finds the person', async () => {
    const prospectId = await add('first@example.test')
    await change(prospectId, 'second@example.test')
    expect(await refusalOf(add('first@example.test'))).toMatchObject({ code: 'known', details: { prospectId } })
    const other = await add('other@example.test')
    expect(await refusalOf(change(other, 'first@example.test'))).toMatchObject({
      code: 'known',
      details: { prospectId },
    })
    const report = await importFile(db.pool, audience, 'email\nfirst@example.test\n', { columns: [{ to: 'email' }] })
    expect(report).toMatchObject({ created: 0, issues: [{ kind: 'merged', line: 2 }] })
    const found = await findProspectIds(db.pool, workspaceId, 'first@example.test', 10, audience.hash)
    expect(found).toEqual([prospectId])
    // And it is theirs again when they go back to it.
    expect(await change(prospectId, 'first@example.test')).toMatchObject({
      id: prospectId,
      email: 'first@example.test',
    })
    expect(await refusalOf(add('second@example.test'))).toMatchObject({ code: 'known', details: { prospectId } })
  })

  test.each(['added', 'imported'])(
    'brings the same person back when it is %s after their data was erased',
    async (how) => {
      const prospectId = await add(`was-${how}@example.test`)
      await change(prospectId, `is-${how}@example.test`)
      await tx((sql) => eraseProspect(sql, workspaceId, prospectId, actor, audience.consequences))
      const kept = await db.pool.query('SELECT email FROM former_addresses WHERE prospect_id = $1', [prospectId])
      expect(kept.rows).toEqual([{ email: null }])
      if (how === 'added') expect(await add(`was-${how}@example.test`)).toBe(prospectId)
      else {
        const file = `email\nwas-${how}@example.test\nis-${how}@example.test\n`
        expect(await importFile(db.pool, audience, file, { columns: [{ to: 'email' }] })).toMatchObject({
          created: 0,
          revived: 1,
        })
      }
      const { rows } = await db.pool.query('SELECT id, erased_at FROM prospects WHERE workspace_id = $1', [workspaceId])
      expect(rows).toEqual([{ id: prospectId, erased_at: null }])
    },
  )

  test('is not taken by a person who adds it while it is being left', async () => {
    const prospectId = await add('racing@example.test')
    const leaving = await heldOpen(db.pool, (sql) =>
      changeProspect(
        sql,
        workspaceId,
        audience.hash,
        prospectId,
        { email: 'left@example.test' },
        actor,
        audience.consequences,
      ),
    )
    const adding = add('racing@example.test').then(
      () => 'added',
      (error: { code: string }) => error.code,
    )
    let waits = 0
    while (waits === 0) {
      const { rows } = await db.pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      waits = rows[0]?.count ?? 0
    }
    await leaving.commit()
    expect(await adding).toBe('known')
  })
})

describe('who had a step as another prospect that was merged into them', () => {
  const sentTo = async (address: string) => {
    const loserId = await add(address)
    await makeDue(loserId)
    await send()
    expect(handedTo()).toEqual([address])
    return loserId
  }

  test('is enrolled as covered, by the campaign that sent it and by any other on the sequence', async () => {
    const loserId = await sentTo('loser@example.test')
    const winnerId = await add('winner@example.test')
    await merge(winnerId, loserId)
    const other = await makeCampaign(db.pool, { in: campaign, sequenceId: campaign.sequenceId })
    for (const { campaignId } of [campaign, other])
      expect(await tx((sql) => enrolProspects(sql, workspaceId, campaignId, [winnerId]))).toMatchObject({
        enrolled: 0,
        covered: 1,
      })
  })

  test('is not planned where the merge came after the enrolment', async () => {
    const loserId = await sentTo('loser2@example.test')
    const winnerId = await add('winner2@example.test')
    const other = await makeCampaign(db.pool, { in: campaign, sequenceId: campaign.sequenceId })
    await tx((sql) => enrolProspects(sql, workspaceId, other.campaignId, [winnerId]))
    await merge(winnerId, loserId)
    await scheduleEmailsForCampaign(db.pool, other, { log: silent, mayContinue: () => true })
    expect(await statusesOf(db.pool, other.campaignId)).toEqual({})
  })

  test('gets nothing where the merge came after the plan: the mark refuses it', async () => {
    const loserId = await sentTo('loser3@example.test')
    const winnerId = await add('winner3@example.test')
    const other = await makeCampaign(db.pool, { in: campaign, sequenceId: campaign.sequenceId })
    const emailId = await makeDue(winnerId, other)
    await merge(winnerId, loserId)
    await send()
    expect(handedTo()).toEqual(['loser3@example.test'])
    expect(await emailOf(emailId)).toEqual({ status: 'CANCELLED', reason: 'HAD_BEFORE_MERGE' })
  })

  test('gets what was only planned for the other, and never handed over', async () => {
    const loserId = await add('loser4@example.test')
    await makeDue(loserId)
    const winnerId = await add('winner4@example.test')
    await merge(winnerId, loserId)
    const other = await makeCampaign(db.pool, { in: campaign, sequenceId: campaign.sequenceId })
    expect(await tx((sql) => enrolProspects(sql, workspaceId, other.campaignId, [winnerId]))).toMatchObject({
      enrolled: 1,
    })
  })
})
