import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { countOutbox } from '#lib/email-scheduler/queue/count-outbox.ts'
import { findTransactional } from '#lib/email-scheduler/queue/find-transactional.ts'
import { listOutbox } from '#lib/email-scheduler/queue/list-outbox.ts'
import { storeEmails } from '#lib/email-scheduler/transactional/store-emails.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { vacuum } from '#tests/support/server/vacuum.ts'
import { watched } from '#tests/support/server/watched.ts'

const db = testDatabase()
const MANY = 6_000
let shop: TestCampaign
let other: TestCampaign

async function store({ workspaceId, mailboxId }: TestCampaign, people: { name: string; address: string }[]) {
  const ids = people.map(newId)
  await inTransaction(db.pool, (tx) =>
    storeEmails(
      tx,
      people.map((to, index) => ({
        ...{ id: ids[index] ?? '', workspaceId, mailboxId, sendAt: null, localDate: '2026-01-01' },
        recipients: [to.address],
        idempotencyKey: `tx:${workspaceId}:${createHash('sha256').update(newId()).digest('hex')}`,
        content: {
          ...{
            from: { name: 'Shop', address: 'shop@acme.test' },
            to,
            subject: 'Your order',
            text: 'Thanks.',
            html: '',
          },
          ...{ messageId: `<${ids[index]}@acme.test>`, date: new Date('2026-01-01'), headers: {} },
        },
      })),
    ),
  )
  return ids
}

const hash = (value: string) => createHash('sha256').update(value).digest()
const found = async (text: string, workspaceId = shop.workspaceId) =>
  (await listOutbox(db.pool, workspaceId, { search: { text, hash }, part: 'waiting' }, { limit: 50 })).emails.map(
    ({ id }) => id,
  )

beforeAll(async () => {
  shop = await makeCampaign(db.pool)
  other = await makeCampaign(db.pool)
  const many = (name: string) =>
    Array.from({ length: MANY }, (_, n) => ({ name: `${name} ${n}`, address: `${name}${n}@example.com` }))
  await store(shop, many('buyer'))
  await store(other, many('stranger'))
  await makeEmails(db.pool, shop, 3)
  await vacuum(db.pool, 'scheduled_emails', 'email_contents', 'email_recipients')
})

describe('a search of the queue', () => {
  test('finds the recipient of a transactional email by address or name, in parts and in whole, whatever the case', async () => {
    const [first] = await store(shop, [{ name: 'Zoë Ångström', address: 'zoe@findme.example' }])
    for (const text of ['zoe@findme.example', 'ZOE@FindMe.example', 'findme.ex', 'ångström', 'Zoë Å'])
      expect([text, await found(text)]).toEqual([text, [first]])
    const counts = await countOutbox(db.pool, shop.workspaceId, { search: { text: 'findme.ex', hash } })
    expect(counts.waiting).toEqual({ count: 1, isMore: false })
    expect(await found('100%_')).toEqual([])
    expect(await found('zoe@findme.example', other.workspaceId)).toEqual([])
  })

  test('finds one of long ago, and pages through many', async () => {
    expect(await found('buyer17@')).toHaveLength(1)
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const filter = { search: { text: 'buyer59', hash }, part: 'waiting' as const }
      const page = await listOutbox(db.pool, shop.workspaceId, filter, { cursor, limit: 50 })
      ids.push(...page.emails.map(({ id }) => id))
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    expect(ids).toHaveLength(111)
    expect(new Set(ids).size).toBe(111)
  })

  test('that finds very many says so', async () => {
    const page = await listOutbox(db.pool, shop.workspaceId, { search: { text: 'buyer', hash } }, { limit: 50 })
    expect([page.emails.length, page.searchIsCut]).toEqual([50, true])
  })

  test('reads indexes: of whole addresses, of their beginnings, of the newest, and of parts', async () => {
    const { sql, asked } = watched(db.pool)
    await findTransactional(sql, shop.workspaceId, 'buyer17@', 1_000)
    const plans = await Promise.all(
      asked.map(async ({ text, values }) => {
        const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values)
        return rows.map((row) => row['QUERY PLAN']).join('\n')
      }),
    )
    expect(plans).toHaveLength(5)
    for (const plan of plans.slice(0, 3)) expect(plan).toContain('email_recipients_workspace_id_address_email_id_idx')
    expect(plans[3]).toContain('scheduled_emails_transactional_idx')
    expect(plans[4]).toContain('email_contents_search_idx')
    for (const plan of plans) expect(plan).not.toContain('Seq Scan on scheduled_emails')
  })
})
