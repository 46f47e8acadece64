import { beforeAll, describe, expect, test } from 'vitest'
import { WEBHOOK_EVENTS } from '#lib/contract/webhooks.ts'
import { openApiDocument } from '#lib/openapi/document.ts'
import { jsonSchemaOf } from '#lib/openapi/json-schema.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { EVENT_NAMES } from '#lib/webhooks/event-types.ts'
import { bodyOf } from '#lib/webhooks/payload.ts'
import { tellOfNotice } from '#lib/webhooks/tell-of-notice.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { validatorOf } from '#tests/support/openapi/described.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { keyringOf, makeWebhook, type TestWebhook } from '#tests/support/webhooks/telling.ts'

/** What the database writes down for endpoints, whatever changes the rows. */
const db = testDatabase()
const keyring = keyringOf()
let place: Awaited<ReturnType<typeof makeDueCampaign>>
let webhook: TestWebhook

beforeAll(async () => {
  place = await makeDueCampaign(db.pool, { prospects: 4 })
  webhook = await makeWebhook(db.pool, keyring, place.workspaceId)
})

type Written = { type: string; subjectId: string; messageId: string; data: Record<string, unknown>; happenedAt: Date }

async function writtenBy(work: () => Promise<unknown>, endpointId = webhook.id): Promise<Written[]> {
  const { rows: before } = await db.pool.query<{ last: string }>(
    'SELECT coalesce(max(seq), 0)::text AS last FROM webhook_deliveries',
  )
  await work()
  const { rows } = await db.pool.query<Written>(
    `SELECT type, subject_id AS "subjectId", message_id AS "messageId", data, happened_at AS "happenedAt" FROM webhook_deliveries
     WHERE endpoint_id = $1 AND seq > $2 ORDER BY seq`,
    [endpointId, before[0]?.last],
  )
  return rows
}

const typesOf = (written: readonly Written[]) => written.map(({ type }) => type)
const emailAt = (index: number) => place.emails[index]?.id ?? ''

/** Each move as the queue's own statements make it. */
const MOVES = {
  claim: `status = 'SENDING', lease_token = lease_token + 1, lease_until = app_now() + interval '1 minute', leased_by = 'w', leased_at = app_now(), ready_at = NULL, next_retry_at = NULL`,
  release: `status = 'SCHEDULED', lease_until = NULL, leased_by = NULL, leased_at = NULL, ready_at = app_now()`,
  mark: `marked_token = lease_token, submit_started_at = app_now()`,
  accept: `status = 'SENT', sent_at = app_now(), lease_until = NULL, leased_by = NULL, leased_at = NULL, accepted_token = lease_token, message_id = '<1@acme.test>'`,
  fail: `status = 'FAILED', lease_until = NULL, leased_by = NULL, leased_at = NULL, last_error = 'Busy', last_error_code = 'SMTP_BUSY', attempts = 1`,
  retry: `status = 'RETRY_SCHEDULED', next_retry_at = app_now() + interval '1 minute', ready_at = app_now() + interval '1 minute'`,
  bury: `status = 'PERMANENTLY_FAILED'`,
  lose: `status = 'OUTCOME_UNKNOWN', lease_until = NULL, leased_by = NULL, leased_at = NULL`,
  cancel: `status = 'CANCELLED', cancelled_at = app_now(), cancel_reason = 'BY_PERSON', ready_at = NULL`,
  restore: `status = 'SCHEDULED', cancelled_at = NULL, cancel_reason = NULL, ready_at = app_now()`,
} as const

async function move(id: string, ...moves: (keyof typeof MOVES)[]): Promise<void> {
  await inTransaction(db.pool, async (tx) => {
    for (const name of moves) await tx.query(`UPDATE scheduled_emails SET ${MOVES[name]} WHERE id = $1`, [id])
  })
}

describe('an email', () => {
  test('that is claimed, given back and claimed again tells nothing; once it is sent, it tells that', async () => {
    expect(await writtenBy(() => move(emailAt(0), 'claim', 'release'))).toEqual([])
    const written = await writtenBy(async () => {
      await move(emailAt(0), 'claim', 'mark')
      await move(emailAt(0), 'accept')
    })
    expect(written).toMatchObject([
      {
        type: 'email.sent',
        subjectId: emailAt(0),
        data: { emailId: emailAt(0), status: 'SENT', before: 'SENDING', campaignId: place.campaignId, reason: null },
      },
    ])
  })

  test('tells of every try that failed and of the last, and not of the state that is passed through', async () => {
    const written = await writtenBy(async () => {
      await move(emailAt(1), 'claim')
      await move(emailAt(1), 'fail', 'retry')
      await move(emailAt(1), 'claim')
      await move(emailAt(1), 'fail', 'bury')
    })
    expect(typesOf(written)).toEqual(['email.retrying', 'email.failed'])
    expect(written[0]?.data).toMatchObject({ reason: 'SMTP_BUSY', attempts: 1, nextRetryAt: expect.any(String) })
  })

  test('tells that its outcome is unknown, that it was cancelled, and that it waits again', async () => {
    const written = await writtenBy(async () => {
      await move(emailAt(2), 'claim', 'mark')
      await move(emailAt(2), 'lose')
      await move(emailAt(3), 'cancel')
      await move(emailAt(3), 'restore')
    })
    expect(typesOf(written)).toEqual(['email.unknown', 'email.cancelled', 'email.restored'])
    expect(written[1]?.data).toMatchObject({ reason: 'BY_PERSON' })
  })

  test('whose change is taken back tells nothing', async () => {
    const written = await writtenBy(() =>
      inTransaction(db.pool, async (tx) => {
        await tx.query(`UPDATE scheduled_emails SET ${MOVES.cancel} WHERE id = $1`, [emailAt(3)])
        throw new Error('taken back')
      }).catch(() => undefined),
    )
    expect(written).toEqual([])
  })
})

test('a person tells that they bounced, replied and unsubscribed, once each', async () => {
  const prospectId = place.emails[0]?.prospectId
  const set = (assignment: string) => db.pool.query(`UPDATE prospects SET ${assignment} WHERE id = $1`, [prospectId])
  const written = await writtenBy(async () => {
    await set('bounced_at = app_now()')
    await set('bounced_at = app_now(), first_name = $$Ada$$')
    await set('replied_at = app_now(), unsubscribed_at = app_now()')
    await set('unsubscribed_at = NULL')
  })
  expect(typesOf(written)).toEqual(['prospect.bounced', 'prospect.replied', 'prospect.unsubscribed'])
  expect(written.map(({ data }) => data)).toEqual(Array(3).fill({ prospectId }))
})

test('a campaign tells every turn of its life', async () => {
  const become = (status: string) =>
    db.pool.query('UPDATE campaigns SET status = $2::campaign_status WHERE id = $1', [place.campaignId, status])
  const written = await writtenBy(async () => {
    for (const status of ['PAUSED', 'RUNNING', 'SENT', 'RUNNING', 'STOPPED']) await become(status)
  })
  expect(typesOf(written)).toEqual([
    ...['campaign.paused', 'campaign.resumed', 'campaign.finished', 'campaign.reopened', 'campaign.stopped'],
  ])
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO campaigns (id, workspace_id, sequence_id, name, status, scheduled_at, updated_at)
     SELECT gen_random_uuid(), workspace_id, sequence_id, 'Autumn', 'DRAFT', app_now(), app_now() FROM campaigns WHERE id = $1 RETURNING id`,
    [place.campaignId],
  )
  const begun = await writtenBy(async () => {
    for (const status of ['SCHEDULED', 'PAUSED', 'SCHEDULED', 'RUNNING'])
      await db.pool.query('UPDATE campaigns SET status = $2::campaign_status WHERE id = $1', [rows[0]?.id, status])
  })
  expect(typesOf(begun)).toEqual([
    ...['campaign.scheduled', 'campaign.paused', 'campaign.resumed', 'campaign.launched'],
  ])
})

test('a node that notifies tells its note, and nothing personal', async () => {
  const prospectId = place.emails[0]?.prospectId ?? ''
  const { workspaceId, campaignId } = place
  const notice = { workspaceId, campaignId, prospectId, personId: prospectId, note: 'Call them', nodeId: 'n' }
  const written = await writtenBy(() => inTransaction(db.pool, (tx) => tellOfNotice(tx, notice)))
  expect(written.map(({ type, data }) => ({ type, data }))).toEqual([
    { type: 'prospect.notice', data: { prospectId, campaignId, personId: prospectId, note: 'Call them', nodeId: 'n' } },
  ])
})

test('every event of the list was written by one of these, and every one that was written is as the reference says', async () => {
  const { rows } = await db.pool.query<Written>(
    `SELECT DISTINCT ON (type) type, data, happened_at AS "happenedAt" FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY type`,
    [webhook.id],
  )
  expect(rows.map(({ type }) => type)).toEqual([...EVENT_NAMES].sort())
  const validate = validatorOf(openApiDocument())
  for (const row of rows) {
    const shape = WEBHOOK_EVENTS.find(({ type }) => type === row.type)
    if (!shape) throw new Error(`the reference does not know ${row.type}`)
    const schema = jsonSchemaOf(shape.payload, 'output', new Map())
    const body = JSON.parse(bodyOf(row)) as { data: object }
    expect([row.type, validate(schema, body)]).toEqual([row.type, []])
    const named = (schema.properties as { data: { properties: object } }).data.properties
    expect([row.type, Object.keys(body.data).sort()]).toEqual([row.type, Object.keys(named).sort()])
    expect(Buffer.byteLength(bodyOf(row))).toBeLessThan(20_000)
  }
})

describe('an endpoint', () => {
  test('is told what it has chosen, under the id that others are told it with, and nothing of another workspace', async () => {
    const some = await makeWebhook(db.pool, keyring, place.workspaceId, { events: ['email.cancelled'] })
    const elsewhere = await makeWebhook(db.pool, keyring, (await makeWorkspace(db.pool)).workspaceId)
    const change = async () => {
      await move(emailAt(3), 'cancel')
      await move(emailAt(3), 'restore')
    }
    const all = await writtenBy(change)
    expect(typesOf(all)).toEqual(['email.cancelled', 'email.restored'])
    const { rows } = await db.pool.query<{ type: string; messageId: string }>(
      'SELECT type, message_id AS "messageId" FROM webhook_deliveries WHERE endpoint_id = $1',
      [some.id],
    )
    expect(rows).toEqual([{ type: 'email.cancelled', messageId: all[0]?.messageId }])
    expect(new Set(all.map(({ messageId }) => messageId)).size).toBe(2)
    expect(await writtenBy(change, elsewhere.id)).toEqual([])
  })

  test.each([
    ['that is paused collects', `status = 'PAUSED'`, 1],
    ['that is disabled does not', `status = 'DISABLED', disabled_reason = 'x'`, 0],
    ['that was removed does not', 'removed_at = app_now()', 0],
  ])('%s', async (_, assignment, count) => {
    const { id } = await makeWebhook(db.pool, keyring, place.workspaceId, { events: ['email.cancelled'] })
    await db.pool.query(`UPDATE webhook_endpoints SET ${assignment} WHERE id = $1`, [id])
    const written = await writtenBy(async () => {
      await move(emailAt(3), 'cancel')
      await move(emailAt(3), 'restore')
    }, id)
    expect(written).toHaveLength(count)
  })
})
