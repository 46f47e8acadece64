import { afterEach, expect, test } from 'vitest'
import { runTick } from '#lib/worker/tick.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testApp, Visitor } from '#tests/support/server/in-process.ts'
import { silent } from '#tests/support/silent.ts'
import { keyringOf, makeEvents, makeWebhook } from '#tests/support/webhooks/telling.ts'

const app = testApp()
const SECRET = 'a-secret-of-sufficient-length'

const metrics = (authorization = `Bearer ${SECRET}`) =>
  new Visitor().call('GET', '/api/metrics', { headers: { authorization } })

afterEach(() => {
  delete process.env.METRICS_SECRET
})

test('are for callers with the secret, and for none where there is no secret', async () => {
  expect((await metrics('Bearer undefined')).status).toBe(503)
  process.env.METRICS_SECRET = SECRET
  expect((await metrics('Bearer guessed')).status).toBe(401)
  expect((await metrics()).status).toBe(200)
})

test('tell how deep the queue is, how late, and what ticks do', async () => {
  process.env.METRICS_SECRET = SECRET
  const provider = new TestProvider()
  provider.answer = (_, count) =>
    count === 1
      ? { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' }
      : { kind: 'rejected', scope: 'message', code: 'MESSAGE_REFUSED', reason: 'No.' }
  await makeDueCampaign(app.db.pool, { prospects: 3 })
  await sendAll(app.db.pool, provider)
  const { workspaceId } = await makeDueCampaign(app.db.pool, { prospects: 4, delays: [0, 1] })
  const webhook = await makeWebhook(app.db.pool, keyringOf(), workspaceId)
  await makeEvents(app.db.pool, webhook, 3)
  await app.db.pool.query(
    `UPDATE webhook_deliveries SET state = 'FAILED', due_at = NULL, ended_at = app_now() WHERE seq = (SELECT min(seq) FROM webhook_deliveries)`,
  )
  await app.db.travel('90 seconds')
  await runTick(app.db.pool, 'a"b\\c', silent)
  const { response } = await metrics()
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const text = await response.text()
  const lines = text.trimEnd().split('\n')
  for (const line of lines)
    expect(line).toMatch(
      /^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="([^"\\\n]|\\["\\n])*"(,\w+="([^"\\\n]|\\["\\n])*")*\})? -?[\d.e+]+)$/,
    )
  const sampleOf = (name: string) => Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1])
  expect(sampleOf('sendonce_emails{status="SCHEDULED"}')).toBe(8)
  expect(sampleOf('sendonce_emails{status="OUTCOME_UNKNOWN"}')).toBe(1)
  expect(sampleOf('sendonce_emails{status="PERMANENTLY_FAILED"}')).toBe(2)
  expect(sampleOf('sendonce_due_emails')).toBe(4)
  expect(sampleOf('sendonce_oldest_due_seconds')).toBeGreaterThanOrEqual(90)
  expect(sampleOf('sendonce_mailboxes{state="connected"}')).toBe(2)
  expect(sampleOf('sendonce_webhooks{state="enabled"}')).toBe(1)
  expect(sampleOf('sendonce_webhooks{state="disabled"}')).toBe(0)
  expect(sampleOf('sendonce_webhook_deliveries{state="waiting"}')).toBe(2)
  expect(sampleOf('sendonce_webhook_deliveries{state="failed"}')).toBe(1)
  expect(sampleOf('sendonce_oldest_webhook_delivery_seconds')).toBeGreaterThanOrEqual(90)
  expect(sampleOf('sendonce_sending_held')).toBe(0)
  expect(sampleOf('sendonce_last_tick{worker="a\\"b\\\\c",what="campaignsStarted"}')).toBe(0)
})
