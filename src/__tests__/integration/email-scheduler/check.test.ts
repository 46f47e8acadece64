import { beforeEach, expect, test } from 'vitest'
import type { AskProvider } from '#lib/email-scheduler/evidence.ts'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { check } from '#lib/email-scheduler/verbs/check.ts'
import { assumeDelivered } from '#lib/email-scheduler/verbs/resolve.ts'
import { askProviderOf } from '#lib/mail/provider.ts'
import { newId } from '#lib/platform/id.ts'
import { type DueCampaign, makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const askNobody = askProviderOf({})
let campaign: DueCampaign
let id = ''

beforeEach(async () => {
  await db.pool.query(`UPDATE campaigns SET status = 'STOPPED'`)
  campaign = await makeDueCampaign(db.pool, { prospects: 1 })
  id = campaign.emails[0]?.id ?? ''
  const provider = new TestProvider()
  provider.answer = () => ({ kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer came.' })
  await sendAll(db.pool, provider)
})

const answering =
  (outcome: SendOutcome): AskProvider =>
  async () =>
    outcome

test('a provider that has it makes it sent, and the attempt keeps the evidence', async () => {
  const accepted = answering({ kind: 'accepted', messageId: '<found@acme.test>', providerText: 'in Sent' })
  expect(await check(db.pool, campaign.workspaceId, id, accepted)).toMatchObject({ answer: 'done', status: 'SENT' })
  const { rows } = await db.pool.query(
    'SELECT outcome, evidence, evidence_text FROM email_attempts WHERE email_id = $1',
    [id],
  )
  expect(rows).toEqual([{ outcome: 'UNKNOWN', evidence: 'ACCEPTED', evidence_text: 'in Sent' }])
})

test('a provider that proves it unsent, and fences it, puts it back into the queue', async () => {
  const gone = answering({ kind: 'retry', scope: 'message', code: 'DRAFT_DELETED', reason: 'The draft was deleted.' })
  expect(await check(db.pool, campaign.workspaceId, id, gone)).toMatchObject({
    answer: 'done',
    status: 'RETRY_SCHEDULED',
  })
})

test('a provider that learned nothing, and one that cannot be asked, change nothing and say why', async () => {
  const nothing = answering({
    kind: 'unknown',
    code: 'CANNOT_BE_ASKED',
    reason: 'It is not in the Sent folder, which proves nothing.',
  })
  expect(await check(db.pool, campaign.workspaceId, id, nothing)).toMatchObject({
    status: 'OUTCOME_UNKNOWN',
    sentence: expect.stringMatching(/proves nothing/),
  })
  expect(await check(db.pool, campaign.workspaceId, id, askNobody)).toMatchObject({ status: 'OUTCOME_UNKNOWN' })
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ OUTCOME_UNKNOWN: 1 })
})

test('evidence that comes after a person has decided moves nothing that is decided', async () => {
  const decides: AskProvider = async () => {
    await assumeDelivered(db.pool, campaign.workspaceId, [id])
    return { kind: 'retry', scope: 'message', code: 'DRAFT_DELETED', reason: 'The draft was deleted.' }
  }
  expect(await check(db.pool, campaign.workspaceId, id, decides)).toMatchObject({ status: 'SENT' })
  expect(await check(db.pool, campaign.workspaceId, id, askNobody)).toMatchObject({ answer: 'not-possible' })
  expect(await check(db.pool, newId(), id, askNobody)).toMatchObject({ answer: 'not-found' })
})
