import { expect, test } from 'vitest'
import { readEmail } from '#lib/email-scheduler/read/read-email.ts'
import { sendAgain } from '#lib/email-scheduler/verbs/resolve.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const ATTEMPT_MS_MAX = 60_000

test('where a server refuses every login, its own words stand with the mailbox and with what was given back', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 2 })
  const provider = new TestProvider()
  const providerText = '550 5.7.1 Client host [192.0.2.7] blocked\n550 see https://mx.test/why'
  provider.connects = () => ({
    kind: 'retry',
    scope: 'mailbox',
    code: 'LOGIN_REFUSED',
    reason: 'The login was refused.',
    providerText,
  })
  await sendAll(db.pool, provider)
  const { rows } = await db.pool.query('SELECT pause_reason AS why FROM mailboxes WHERE id = $1', campaign.mailboxIds)
  expect(rows).toEqual([
    {
      why: 'The login was refused. It said: “550 5.7.1 Client host [192.0.2.7] blocked 550 see https://mx.test/why”',
    },
  ])
  const { attempts, whyNotNow } = await readEmail(
    db.pool,
    campaign.workspaceId,
    campaign.emails[0]?.id ?? '',
    ATTEMPT_MS_MAX,
  )
  expect(attempts).toMatchObject([
    {
      outcome: 'RELEASED',
      errorCode: 'LOGIN_REFUSED',
      sentence: expect.stringMatching(/^The mail server refused the login/),
      providerText,
    },
  ])
  expect(whyNotNow?.blockers.map(({ sentence }) => sentence).join(' ')).toContain('blocked 550 see')
})

test('an email that a person sends again is told as that, and not as one that failed', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 1 })
  const provider = new TestProvider()
  provider.answer = () => ({ kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' })
  await sendAll(db.pool, provider)
  await db.travel('1 hour')
  const id = campaign.emails[0]?.id ?? ''
  await inTransaction(db.pool, (tx) => sendAgain(tx, campaign.workspaceId, [id], ATTEMPT_MS_MAX))
  const { email, events } = await readEmail(db.pool, campaign.workspaceId, id, ATTEMPT_MS_MAX)
  expect(email).toMatchObject({ status: 'RETRY_SCHEDULED', sentence: expect.stringMatching(/chose to send it again/) })
  expect(events.every(({ reason, sentence }) => reason === null || sentence !== null)).toBe(true)
})
