import type { Guest } from '#tests/support/browser/guest.ts'
import { links } from './places.ts'
import { type App, LONG_NAME } from './scene.ts'

/** Three webhooks, with deliveries in every state. */
export async function populateWebhooks(app: App, owner: Guest): Promise<void> {
  const hook = async (description: string, path: string, events = ['email.sent', 'campaign.finished']) => {
    const body = { url: `http://127.0.0.1:9/${path}`, description, events }
    return (await owner.ask<{ webhook: { id: string } }>('POST', '/api/webhooks', body)).webhook.id
  }
  links.webhook = await hook('Booking site', 'hooks/sendonce')
  const disabled = await hook(LONG_NAME, `${'a-very-long-part-of-a-path/'.repeat(6)}`)
  const paused = await hook('', 'no-name', ['prospect.unsubscribed'])
  await app.sql(`UPDATE webhook_endpoints SET status = 'PAUSED' WHERE id = $1`, [paused])
  await app.sql(
    `UPDATE webhook_endpoints SET status = 'DISABLED', disabled_reason = 'Every attempt to deliver an event failed, over more than a day, and in that time no other was taken either. The last one: The receiver answered 500; only answers from 200 to 299 count as delivered.' WHERE id = $1`,
    [disabled],
  )
  await app.sql(
    `INSERT INTO webhook_deliveries (endpoint_id, workspace_id, message_id, type, subject_id, data, happened_at, state, attempts, due_at, ended_at, last_attempt_at, answer_status, answer_body, problem, duration_ms)
     SELECT e.id, e.workspace_id, gen_random_uuid(), CASE WHEN n % 2 = 0 THEN 'email.sent' ELSE 'campaign.finished' END, gen_random_uuid(),
       jsonb_build_object('emailId', gen_random_uuid(), 'status', 'SENT', 'kind', 'CAMPAIGN'), now() - n * interval '7 minutes', s.state::webhook_delivery_state, s.attempts,
       CASE WHEN s.state = 'WAITING' THEN now() + interval '2 hours' END, CASE WHEN s.state <> 'WAITING' THEN now() END, now(), s.status, s.body, s.problem, 412
     FROM webhook_endpoints e CROSS JOIN generate_series(1, 60) AS n JOIN (VALUES
       (0, 'DELIVERED', 1, 200, 'ok', NULL), (1, 'FAILED', 8, 500, '{"error": "the booking database is away"}', 'The receiver answered 500; only answers from 200 to 299 count as delivered.'),
       (2, 'WAITING', 3, NULL, NULL, 'No answer came within 15 seconds.'), (3, 'DELIVERED', 2, 204, '', NULL)) AS s(of, state, attempts, status, body, problem) ON n % 4 = s.of
     WHERE e.id = $1`,
    [links.webhook],
  )
  const show = `/api/webhooks/${links.webhook}/deliveries?show=failed`
  links.delivery = (await owner.ask<{ deliveries: { id: string }[] }>('GET', show)).deliveries[0]?.id ?? ''
}
