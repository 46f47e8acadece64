import { beforeAll, expect, test } from 'vitest'
import { readParts, storeParts } from '#lib/outbox/email-parts.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { mailSink } from '#tests/support/mail/mail-sink.ts'
import { OutboxClient, type SentEmail } from '#tests/support/mail/outbox.ts'
import { testApp } from '#tests/support/server/in-process.ts'

const app = testApp()
const sink = mailSink()
let shop: OutboxClient

beforeAll(async () => {
  shop = await OutboxClient.enter(app, sink.port)
})

test('ten thousand small files are stored by few statements, beside large ones, and each comes back as it was', async () => {
  const { rows } = await app.db.pool.query<{ at: Date }>(`SELECT app_now() + interval '1 hour' AS at`)
  const wanted = Array.from({ length: 500 }, (_, index) => ({
    ...{ to: `file-${index}@example.test`, subject: 'Hi', text: 'x', sendAt: rows[0]?.at },
  }))
  const answer = await shop.call<{ emails: { email: SentEmail }[] }>('POST', '/api/emails/batch', {
    body: { emails: wanted },
  })
  const ids = answer.json?.success ? answer.json.data.emails.map(({ email }) => email.id) : []
  expect(ids).toHaveLength(500)
  await shop.sql('DELETE FROM email_requests WHERE email_id = ANY($1::uuid[])', [ids])
  const file = (name: string, content: Buffer) => ({
    ...{ kind: 'ATTACHMENT' as const, fileName: name, contentType: 'application/pdf', content },
  })
  const emails = ids.map((id, index) => ({
    ...{ id, workspaceId: shop.workspaceId, fingerprint: Buffer.from([index % 256]) },
    parts: [
      ...Array.from({ length: 19 }, (_, at) => file(`ä"\\{},NULL ${at}.pdf`, Buffer.from([0, at, 255, 0x5c, 0x22]))),
      file('large.bin', index === 0 ? Buffer.alloc(3_000_000, 7) : Buffer.alloc(0)),
    ],
  }))
  let statements = 0
  await inTransaction(app.db.pool, async (tx) => {
    const counting = {
      query: (...asked: Parameters<Sql['query']>) => {
        statements += 1
        return tx.query(...asked)
      },
    } as Sql
    await storeParts(counting, emails)
  })
  expect(statements).toBeLessThan(50)
  const kept = await readParts(app.db.pool, ids)
  for (const { id, parts } of emails) expect(kept.get(id)).toEqual(parts)
})
