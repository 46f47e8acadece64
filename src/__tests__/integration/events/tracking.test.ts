import { beforeEach, describe, expect, test } from 'vitest'
import { eraseProspect } from '#lib/audience/prospects/erase-prospect.ts'
import { readTrackedEmails } from '#lib/email-scheduler/read/tracked-emails.ts'
import { type ClaimedEmail, claimByIds } from '#lib/email-scheduler/send/claim.ts'
import { renderEmails } from '#lib/mail/message/render-emails.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { type Keyring, readKeyring } from '#lib/platform/keyring.ts'
import { judgeHits } from '#lib/tracking/judge-hits.ts'
import { recordHit } from '#lib/tracking/record-hit.ts'
import { readTracking } from '#lib/tracking/tracking-link.ts'
import { consequencesIn } from '#lib/wiring/audience.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails, type TestEmail } from '#tests/support/data/emails.ts'
import { actor } from '#tests/support/data/people.ts'
import { APP_URL, settled, testApp, Visitor } from '#tests/support/server/in-process.ts'

/** From the HTML of a tracked email to the event of its reader, through the route that anybody can ask. */
const app = testApp()
let campaign: TestCampaign
let email: TestEmail

const keys = (): Keyring => {
  const reading = readKeyring(process.env.ENCRYPTION_KEYS ?? '')
  if (!reading.ok) throw new Error(reading.problem)
  return reading.keyring
}

const HTML = '<p>Hi, <a href="https://a.example/?x=1&amp;y=2">one</a> and <a href="https://b.example/">two</a></p>'
const BROWSER = { origin: '', 'sec-fetch-site': '', 'user-agent': 'Mozilla/5.0 (X11) Firefox/140.0' }

beforeEach(async () => {
  await app.db.pool.query('DELETE FROM rate_limits')
  campaign = await makeCampaign(app.db.pool, { settings: { postal_address: '1 High Street' } })
  await app.db.pool.query(`UPDATE sequence_steps SET subject = 'Hello', body_html = $2 WHERE sequence_id = $1`, [
    campaign.sequenceId,
    HTML,
  ])
  const [made] = await makeEmails(app.db.pool, campaign, 1)
  if (!made) throw new Error('there is no email')
  email = made
})

const trackAll = (isOn = true) =>
  app.db.pool.query('UPDATE campaigns SET tracks_opens = $2, tracks_clicks = $2 WHERE id = $1', [
    campaign.campaignId,
    isOn,
  ])

async function claim(): Promise<ClaimedEmail> {
  const [claimed] = await claimByIds(app.db.pool, [email.id], { worker: 'w', leaseMs: 60_000 })
  if (!claimed) throw new Error('it could not be claimed')
  return claimed
}

async function render(claimed: ClaimedEmail) {
  const rendering = (await renderEmails(app.db.pool, [claimed], { appUrl: APP_URL, keyring: keys() })).get(email.id)
  if (rendering?.kind !== 'content') throw new Error(JSON.stringify(rendering))
  return rendering.content
}

/** Written with tracking, and handed over a minute ago. Answers its links in their order, the picture last. */
async function sent(): Promise<string[]> {
  await trackAll()
  const { html } = await render(await claim())
  await app.db.pool.query(
    `UPDATE scheduled_emails SET status = 'SENT', sent_at = app_now() - interval '1 minute', marked_token = lease_token,
       accepted_token = lease_token, submit_started_at = app_now() - interval '1 minute', ready_at = NULL, lease_until = NULL,
       leased_by = NULL, leased_at = NULL WHERE id = $1`,
    [email.id],
  )
  return [...html.matchAll(/\/t\/([\w-]+)/g)].map((match) => match[1] ?? '')
}

async function ask(token: string | undefined, headers: Record<string, string> = {}, method = 'GET') {
  const { response, status } = await new Visitor().call(method, '/t/[token]', {
    params: { token: token ?? '' },
    headers: { ...BROWSER, ...headers },
  })
  await settled()
  return { status, location: response.headers.get('location'), headers: response.headers }
}

const judge = async () => {
  await app.db.travel('4 seconds')
  return judgeHits(app.db.pool, readTrackedEmails)
}

async function events() {
  const { rows } = await app.db.pool.query<{ type: string; email: string; data: object }>(
    `SELECT type, email_id AS email, data FROM person_events WHERE prospect_id = $1 ORDER BY id`,
    [email.prospectId],
  )
  return rows
}
const hits = async () =>
  (await app.db.pool.query<{ count: number }>('SELECT count(*)::int FROM tracking_hits')).rows[0]?.count

test('nothing is tracked unless the campaign asks for it; then only in the HTML, and the same each time', async () => {
  const claimed = await claim()
  const plain = await render(claimed)
  expect(plain.html).not.toContain('/t/')
  await trackAll()
  const tracked = await render(claimed)
  expect(tracked.html.match(/\/t\//g)).toHaveLength(3)
  expect({ ...tracked, html: '' }).toEqual({ ...plain, html: '' })
  expect(tracked.text).toContain('https://a.example/?x=1&y=2')
  expect(tracked.html).toContain(tracked.headers['List-Unsubscribe']?.slice(1, -1))
  expect(await render(claimed)).toEqual(tracked)
})

test('a link leads on at once, and is one event however often it is followed; so is the picture', async () => {
  const [one, two, picture] = await sent()
  for (let times = 0; times < 3; times += 1) {
    const { status, location, headers } = await ask(one)
    expect([status, location]).toEqual([302, 'https://a.example/?x=1&y=2'])
    expect(headers.get('set-cookie')).toBeNull()
    expect(headers.get('cache-control')).toContain('no-store')
  }
  expect(await judge()).toBe(1)
  await app.db.travel('1 minute')
  const shown = await ask(picture)
  expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/gif'])
  await app.db.travel('1 minute')
  await ask(two)
  await ask(one)
  expect(await judge()).toBe(2)
  expect(await events()).toEqual([
    { type: 'CLICKED', email: email.id, data: { url: 'https://a.example/?x=1&y=2' } },
    { type: 'OPENED', email: email.id, data: {} },
    { type: 'CLICKED', email: email.id, data: { url: 'https://b.example/' } },
  ])
  expect(await hits()).toBe(0)
})

test('what is certainly no person leads on as well, and tells nothing', async () => {
  const [one, two, picture] = await sent()
  const programs: Record<string, string>[] = [
    { 'user-agent': 'Barracuda Link Protection' },
    { 'user-agent': '' },
    { 'sec-purpose': 'prefetch' },
  ]
  for (const headers of programs) expect((await ask(one, headers)).status).toBe(302)
  expect((await ask(one, {}, 'HEAD')).location).toBe('https://a.example/?x=1&y=2')
  expect(await hits()).toBe(0)
  // Both within a second, with the picture: a scanner that calls itself a browser. The person comes an hour later.
  await Promise.all([ask(one), ask(two), ask(picture)])
  expect([await hits(), await judge(), await hits()]).toEqual([3, 0, 0])
  await app.db.travel('1 hour')
  await new Promise((done) => setTimeout(done, 5_100))
  await ask(two)
  expect(await judge()).toBe(1)
  expect(await events()).toMatchObject([{ type: 'CLICKED', data: { url: 'https://b.example/' } }])
})

test('an email that has just been handed over was looked at by a machine', async () => {
  const [, , picture] = await sent()
  await app.db.pool.query('UPDATE scheduled_emails SET updated_at = app_now() WHERE id = $1', [email.id])
  const { rows } = await app.db.pool.query<{ at: Date }>('SELECT sent_at AS at FROM scheduled_emails WHERE id = $1', [
    email.id,
  ])
  const asked = readTracking(picture ?? '')
  if (!asked) throw new Error('the token cannot be read')
  await recordHit(app.db.pool, asked)
  await app.db.pool.query('UPDATE tracking_hits SET hit_at = $1, last_hit_at = $1', [
    new Date((rows[0]?.at.getTime() ?? 0) + 8_000),
  ])
  expect(await judge()).toBe(0)
})

describe('a link goes on leading', () => {
  test('when its person was erased, its campaign archived or its tracking switched off; then it tells nothing', async () => {
    const [one, two] = await sent()
    await trackAll(false)
    expect((await ask(one)).location).toBe('https://a.example/?x=1&y=2')
    expect(await judge()).toBe(0)
    await trackAll()
    await app.db.pool.query(`UPDATE campaigns SET status = 'STOPPED', archived_at = app_now() WHERE id = $1`, [
      campaign.campaignId,
    ])
    await inTransaction(app.db.pool, (tx) =>
      eraseProspect(tx, campaign.workspaceId, email.prospectId, actor, consequencesIn(campaign.workspaceId)),
    )
    expect((await ask(two)).location).toBe('https://b.example/')
    expect(await judge()).toBe(0)
    expect(await events()).toEqual([])
  })

  test('and one that we did not sign leads nowhere', async () => {
    const [one = ''] = await sent()
    const bytes = Buffer.from(one, 'base64url')
    const forged = Buffer.concat([bytes.subarray(0, 35), Buffer.from('https://evil.example/'), bytes.subarray(-16)])
    for (const token of [
      forged.toString('base64url'),
      `${one}x`,
      one.slice(0, -4),
      'nothing',
      '%00',
      'x'.repeat(9_000),
    ]) {
      const { status, location, headers } = await ask(token)
      expect([token.slice(0, 40), status, location]).toEqual([token.slice(0, 40), 404, null])
      expect(headers.get('content-security-policy')).toContain(`default-src 'none'`)
    }
    expect(await hits()).toBe(0)
  })
})

test('hits at once are one row, and workers that judge at once tell one event', async () => {
  const [one = ''] = await sent()
  const asked = readTracking(one)
  if (!asked) throw new Error('the token cannot be read')
  await Promise.all(Array.from({ length: 20 }, () => recordHit(app.db.pool, asked)))
  expect(await hits()).toBe(1)
  await app.db.travel('4 seconds')
  const told = await Promise.all(Array.from({ length: 8 }, () => judgeHits(app.db.pool, readTrackedEmails)))
  expect(told.reduce((sum, count) => sum + count)).toBe(1)
  expect(await events()).toHaveLength(1)
})
