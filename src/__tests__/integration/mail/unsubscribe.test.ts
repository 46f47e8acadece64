import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { eraseProspect } from '#lib/audience/prospects/erase-prospect.ts'
import { mergeProspects } from '#lib/audience/prospects/merge-prospects.ts'
import { type Reader, readUnsubscribeToken, unsubscribeSigner } from '#lib/audience/prospects/unsubscribe-link.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { type Keyring, readKeyring } from '#lib/platform/keyring.ts'
import { rotateCredentials } from '#lib/tenancy/credentials/rotate-credentials.ts'
import { consequencesIn } from '#lib/wiring/audience.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { makeKey, makeKeyring } from '#tests/support/data/keys.ts'
import { actor } from '#tests/support/data/people.ts'
import { APP_URL, type CallInput, testApp, Visitor } from '#tests/support/server/in-process.ts'

const app = testApp()
let campaign: TestCampaign
let reader: Reader
let token: string

const keys = (): Keyring => {
  const reading = readKeyring(process.env.ENCRYPTION_KEYS ?? '')
  if (!reading.ok) throw new Error(reading.problem)
  return reading.keyring
}
const tokenFor = async (whom: Reader) => (await unsubscribeSigner(app.db.pool, keys(), [whom.workspaceId]))(whom)

beforeEach(async () => {
  await app.db.pool.query('DELETE FROM rate_limits')
  campaign = await makeCampaign(app.db.pool)
  const [email] = await makeEmails(app.db.pool, campaign, 1, 3)
  reader = { workspaceId: campaign.workspaceId, prospectId: email?.prospectId ?? '' }
  token = await tokenFor(reader)
})

const URLENCODED = { 'content-type': 'application/x-www-form-urlencoded' }
/** A program, not a browser: no origin, no cookie, nothing of ours. */
const BARE = { origin: '', 'sec-fetch-site': '' }

async function ask(method: 'GET' | 'POST', input: CallInput = {}, which = token) {
  const { response, status } = await new Visitor().call(method, '/u/[token]', {
    ...input,
    params: { token: which },
    headers: { ...BARE, ...input.headers },
  })
  const html = await response.text()
  return { status, headers: response.headers, html, title: /<h1>(.*?)<\/h1>/.exec(html)?.[1]?.replaceAll('&#39;', "'") }
}
const oneClick = (which = token) => ask('POST', { file: 'List-Unsubscribe=One-Click', headers: URLENCODED }, which)
const press = (intent: 'unsubscribe' | 'subscribe', which = token) =>
  ask('POST', { file: `intent=${intent}`, headers: URLENCODED }, which)

async function prospect(id = reader.prospectId) {
  const { rows } = await app.db.pool.query<{ out: boolean; byReader: boolean }>(
    `SELECT unsubscribed_at IS NOT NULL AS out, unsubscribed_by_reader AS "byReader" FROM prospects WHERE id = $1`,
    [id],
  )
  return rows[0]
}
async function statuses() {
  const { rows } = await app.db.pool.query<{ status: string; reason: string | null }>(
    `SELECT status, cancel_reason AS reason FROM scheduled_emails WHERE campaign_id = $1 ORDER BY step_number`,
    [campaign.campaignId],
  )
  return rows.map(({ status, reason }) => [status, reason].filter(Boolean).join(' '))
}
const CANCELLED = Array.from({ length: 3 }, () => 'CANCELLED PROSPECT_UNSUBSCRIBED')
const WAITING = Array.from({ length: 3 }, () => 'SCHEDULED')

test('opening the link shows a page and changes nothing, however often a program opens it', async () => {
  for (let times = 0; times < 3; times += 1) {
    const { status, title, html } = await ask('GET')
    expect([status, title]).toEqual([200, 'Unsubscribe?'])
    expect(html).toContain('You get emails from Acme.')
  }
  expect(await prospect()).toEqual({ out: false, byReader: false })
  expect(await statuses()).toEqual(WAITING)
})

test('one click unsubscribes and cancels what waits at once, without cookie or redirect, and may be repeated', async () => {
  for (let times = 0; times < 3; times += 1) {
    const { status, title, headers } = await oneClick()
    expect([status, title]).toEqual([200, 'You are unsubscribed'])
    expect(headers.get('location')).toBeNull()
    expect(headers.getSetCookie()).toEqual([])
  }
  expect(await prospect()).toEqual({ out: true, byReader: true })
  expect(await statuses()).toEqual(CANCELLED)
  const { rows } = await app.db.pool.query(
    `SELECT action, actor_id, actor_email, target_id, details, address FROM audit_log WHERE workspace_id = $1`,
    [campaign.workspaceId],
  )
  expect(rows).toEqual([
    {
      action: 'prospect.unsubscribed-by-link',
      actor_id: null,
      actor_email: 'The recipient',
      target_id: reader.prospectId,
      details: { via: 'one-click', cancelledEmails: 3 },
      address: null,
    },
  ])
})

test.each<[string, () => CallInput]>([
  ['multipart', () => multipart({ 'List-Unsubscribe': 'One-Click' })],
  ['no body at all', () => ({ file: '', headers: { 'content-type': '' } })],
  ['a body of an unknown type', () => ({ file: '{"a":1}', headers: { 'content-type': 'application/json' } })],
  ['a body that is broken', () => ({ file: 'x', headers: { 'content-type': 'multipart/form-data; boundary=y' } })],
  ['a body far too large', () => ({ file: `a=${'x'.repeat(100_000)}`, headers: URLENCODED })],
  [
    'a webmail of another origin, with its cookies',
    () => ({
      file: 'List-Unsubscribe=One-Click',
      headers: { ...URLENCODED, origin: 'https://webmail.example', 'sec-fetch-site': 'cross-site', cookie: 'a=b' },
    }),
  ],
])('a post with %s unsubscribes', async (_what, input) => {
  expect((await ask('POST', input())).status).toBe(200)
  expect(await prospect()).toEqual({ out: true, byReader: true })
  expect(await statuses()).toEqual(CANCELLED)
})

test('the routes of the API still refuse another origin', async () => {
  const answer = await new Visitor().call('POST', '/api/session', { headers: { origin: 'https://webmail.example' } })
  expect(answer.status).toBe(403)
})

test('the reader comes back by the same link; what was cancelled stays so', async () => {
  await press('unsubscribe')
  expect((await ask('GET')).title).toBe('You are already unsubscribed')
  expect((await press('subscribe')).title).toBe('You are subscribed again')
  expect(await prospect()).toEqual({ out: false, byReader: false })
  expect(await statuses()).toEqual(CANCELLED)
  expect((await ask('GET')).title).toBe('Unsubscribe?')
  expect((await press('subscribe')).title).toBe('You are subscribed again')
})

test('what a member noted is not taken back by the link, nor what both did', async () => {
  await app.db.pool.query('UPDATE prospects SET unsubscribed_at = app_now() WHERE id = $1', [reader.prospectId])
  const { title, html } = await ask('GET')
  expect(title).toBe('You are unsubscribed')
  expect(html).not.toContain('<button')
  await oneClick()
  expect((await press('subscribe')).html).not.toContain('<button')
  expect(await prospect()).toEqual({ out: true, byReader: false })
})

describe('the link goes on to work', () => {
  test('when the campaign is archived', async () => {
    await app.db.pool.query(`UPDATE campaigns SET status = 'STOPPED', archived_at = app_now() WHERE id = $1`, [
      campaign.campaignId,
    ])
    expect((await oneClick()).status).toBe(200)
    expect(await statuses()).toEqual(CANCELLED)
  })

  test('when the person was erased: should the address ever come back, it is unsubscribed', async () => {
    await inTransaction(app.db.pool, (tx) =>
      eraseProspect(tx, reader.workspaceId, reader.prospectId, actor, consequencesIn(reader.workspaceId)),
    )
    expect((await ask('GET')).title).toBe('Unsubscribe?')
    expect((await oneClick()).title).toBe('You are unsubscribed')
    expect(await prospect()).toEqual({ out: true, byReader: true })
  })

  test('when the person was merged into another prospect: both leave, and what waits for both', async () => {
    const [other] = await makeEmails(app.db.pool, campaign, 1, 2)
    const winnerId = other?.prospectId ?? ''
    await inTransaction(app.db.pool, (tx) =>
      mergeProspects(
        tx,
        reader.workspaceId,
        { winnerId, loserId: reader.prospectId },
        actor,
        consequencesIn(reader.workspaceId),
      ),
    )
    await oneClick()
    expect([await prospect(), await prospect(winnerId)]).toEqual([
      { out: true, byReader: true },
      { out: true, byReader: true },
    ])
    expect(new Set(await statuses())).toEqual(new Set(['CANCELLED PROSPECT_MERGED', 'CANCELLED PROSPECT_UNSUBSCRIBED']))
    await press('subscribe')
    expect([await prospect(), await prospect(winnerId)].map((one) => one?.out)).toEqual([false, false])
  })

  test('when years have passed', async () => {
    await app.db.travel('10 years')
    expect((await oneClick()).status).toBe(200)
  })

  test('when the keys of the installation were rotated, and the old one is gone', async () => {
    const [first, second] = [makeKey('first'), makeKey('second')]
    const [elsewhere] = [{ ...reader, workspaceId: (await makeCampaign(app.db.pool)).workspaceId }]
    const made = (await unsubscribeSigner(app.db.pool, makeKeyring(first), [elsewhere.workspaceId]))(elsewhere)
    await rotateCredentials(app.db.pool, makeKeyring(second, first, process.env.ENCRYPTION_KEYS ?? ''))
    expect(await readUnsubscribeToken(app.db.pool, makeKeyring(second), made)).toEqual(elsewhere)
  })

  test('when its first links were signed at once: all by one key', async () => {
    const { workspaceId } = await makeCampaign(app.db.pool)
    const links = await Promise.all(Array.from({ length: 8 }, () => tokenFor({ ...reader, workspaceId })))
    expect(new Set(links).size).toBe(1)
  })
})

/** The token with one of its bytes changed; -1 is the last. */
function changedAt(index: number, token: string): string {
  const bytes = Buffer.from(token, 'base64url')
  return Buffer.from(bytes.with(index, (bytes.at(index) ?? 0) ^ 1)).toString('base64url')
}

describe('a link that we did not sign', () => {
  test('changes nothing and says what to do, whatever is wrong with it', async () => {
    const other = await makeCampaign(app.db.pool)
    const bytes = Buffer.from(token, 'base64url').length
    const forged = [
      ...Array.from({ length: bytes }, (_, index) => changedAt(index, token)),
      token.slice(0, -1),
      `${token}A`,
      token.toLowerCase(),
      'x',
      '%00',
      `${token}=`,
      await tokenFor({ workspaceId: other.workspaceId, prospectId: reader.prospectId }),
      await tokenFor({ ...reader, prospectId: newId() }),
    ].filter((one) => one !== token)
    for (const wrong of forged) {
      expect([wrong, (await oneClick(wrong)).status]).toEqual([wrong, 404])
      await app.db.pool.query('DELETE FROM rate_limits')
    }
    const { title, html } = await ask('GET', {}, changedAt(40, token))
    expect(title).toBe('This link does not work')
    expect(html).toContain('Copy the whole link')
    expect(await prospect()).toEqual({ out: false, byReader: false })
    expect(await statuses()).toEqual(WAITING)
  })

  test('is not tried without end, and a real one is never counted', async () => {
    const from = { headers: { 'x-forwarded-for': '203.0.113.9' } }
    const wrong = changedAt(-1, await tokenFor({ ...reader, prospectId: newId() }))
    const answers = new Set<number>()
    for (let times = 0; times < 110; times += 1) answers.add((await ask('POST', from, wrong)).status)
    expect([...answers]).toEqual([404, 429])
    expect((await ask('POST', from)).status).toBe(200)
  })
})

test('the link of a test email does nothing, and says so', async () => {
  expect((await ask('GET', {}, 'test')).title).toBe('This link is from a test email')
  expect((await oneClick('test')).status).toBe(200)
})

test('an unsubscribe waits for a mark that holds the person, and is answered only after it', async () => {
  const tx = await app.db.pool.connect()
  let answered = false
  try {
    await tx.query('BEGIN')
    await tx.query('SELECT FROM prospects WHERE id = $1 FOR SHARE', [reader.prospectId])
    const leaving = oneClick().then((answer) => {
      answered = true
      return answer
    })
    await untilALockIsWaitedFor()
    expect(answered).toBe(false)
    await tx.query('COMMIT')
    expect((await leaving).status).toBe(200)
  } finally {
    tx.release()
  }
  expect(await statuses()).toEqual(CANCELLED)
})

test('many at once, leaving and coming back, end in one state that holds together', async () => {
  await Promise.all(Array.from({ length: 12 }, (_, index) => (index % 3 === 2 ? press('subscribe') : oneClick())))
  const now = await prospect()
  expect(now?.byReader).toBe(now?.out)
  expect(await statuses()).toEqual(CANCELLED)
})

test('the page runs nothing, loads nothing, is in nobody’s frame and in no index', async () => {
  const { headers, html } = await ask('GET')
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
  )
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('x-robots-tag')).toContain('noindex')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(html).not.toMatch(/<script|<link|<img|src=|https?:/)
  expect(html).not.toContain(token)
})

test('the name of a workspace is text on the page', async () => {
  await app.db.pool.query(`UPDATE workspaces SET name = '<b>"A" & ''Co''' WHERE id = $1`, [campaign.workspaceId])
  expect((await ask('GET')).html).toContain('from &#60;b&#62;&#34;A&#34; &#38; &#39;Co&#39;.')
})

test('a link is short enough for a line of text', () => {
  expect(`${APP_URL}/u/${token}`.length).toBeLessThan(APP_URL.length + 76)
})

function multipart(fields: Record<string, string>): CallInput {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--xyz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return { file: `${parts.join('')}--xyz--\r\n`, headers: { 'content-type': 'multipart/form-data; boundary=xyz' } }
}

async function untilALockIsWaitedFor(): Promise<void> {
  for (;;) {
    const { rows } = await app.db.pool.query<{ waiting: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock') AS waiting`,
    )
    if (rows[0]?.waiting) return
    await sleep(10)
  }
}
