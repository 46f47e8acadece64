import pg from 'pg'
import { beforeAll, expect, test, vi } from 'vitest'
import { database } from '#lib/platform/database.ts'
import { mailSink } from '#tests/support/mail/mail-sink.ts'
import { OutboxClient } from '#tests/support/mail/outbox.ts'
import { settled, testApp } from '#tests/support/server/in-process.ts'

/** How often POST /api/emails asks Postgres something, transactions included: a busy server does little else. */
const asked: string[] = []
const query = pg.Client.prototype.query
// Before the first connection, since each keeps the function that it was made with.
vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
  const [statement] = args
  asked.push(typeof statement === 'string' ? statement : (statement as { text: string }).text)
  return Reflect.apply(query, this, args)
} as typeof query)

const app = testApp()
const sink = mailSink()
let shop: OutboxClient

beforeAll(async () => {
  process.env.INLINE_SECONDS = '60'
  shop = await OutboxClient.enter(app, sink.port)
  // What is asked once in a while and not by each: the connections, the key's last use, the room for answers.
  await shop.send({}, 'first')
  await Promise.all(Array.from({ length: 10 }, () => database().query('SELECT pg_sleep(0.1)')))
})

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  asked.splice(0)
  await work()
  await settled()
  return asked.length
}

test('an email that is sent at once asks so many statements of Postgres', async () => {
  expect(await statementsOf(() => shop.send({}, 'second')), asked.join('\n')).toBe(35)
})

test('of a hundred at once, no statement is asked for each of them', async () => {
  const addresses = Array.from({ length: 100 }, (_, index) => `guest-${index}@example.test`)
  await statementsOf(() => Promise.all(addresses.map((to) => shop.send({ to }, to))))
  // How many go together is up to the machine, and every kind of transaction begins and ends with the same words.
  const statements = asked.filter((text) => !/^(BEGIN|COMMIT)/.test(text))
  const counts = [...Map.groupBy(statements, (text) => text)].map(([text, { length }]) => ({ length, text }))
  expect(counts.filter(({ length }) => length >= addresses.length)).toEqual([])
})
