import { expect, test } from 'vitest'
import { ConnectionKeeper } from '#lib/delivery/connections.ts'
import type { Refused } from '#lib/email-scheduler/outcome.ts'
import type { Connecting, MailConnection } from '#lib/mail/transport.ts'

const MAILBOX = { id: '018f0000-0000-7000-8000-000000000001', kind: 'SMTP', version: '1' } as const
const REFUSED: Refused = {
  kind: 'retry',
  scope: 'mailbox',
  code: 'SERVICE_UNAVAILABLE',
  reason: 'Too many connections.',
}

/** A server that takes a given number of connections at once, and the most that were asked of it at a time. */
function server({ most = Number.POSITIVE_INFINITY } = {}) {
  const rounds: number[] = []
  let open = 0
  let asked = 0
  const connection = (): MailConnection => ({
    submit: async () => REFUSED,
    isUsable: () => false,
    close: () => {
      open -= 1
    },
  })
  const connect = async (): Promise<Connecting> => {
    asked += 1
    await Promise.resolve()
    if (asked > 0) rounds.push(asked)
    asked = 0
    if (open >= most) return { ok: false, outcome: REFUSED }
    open += 1
    return { ok: true, connection: connection() }
  }
  const keeper = new ConnectionKeeper(async () => ({ ok: true, transport: { connect } }))
  return { keeper, rounds }
}

test('a batch gets all of its connections: two at first, and with each round as many again as the server has taken', async () => {
  const { keeper, rounds } = server()
  const { open, refused } = await keeper.take(MAILBOX, 14)
  expect(open).toHaveLength(14)
  expect(refused).toBeUndefined()
  expect(rounds).toEqual([2, 2, 4, 6])
})

test('what a server has taken once is asked for at once the next time', async () => {
  const { keeper, rounds } = server()
  const { open } = await keeper.take(MAILBOX, 14)
  for (const connection of open) keeper.giveBack(MAILBOX, connection)
  rounds.length = 0
  expect((await keeper.take(MAILBOX, 14)).open).toHaveLength(14)
  expect(rounds).toEqual([14])
})

test('a server that refuses one is not asked for more than it took, and the batch goes on with those', async () => {
  const { keeper, rounds } = server({ most: 3 })
  const first = await keeper.take(MAILBOX, 14)
  expect([first.open.length, first.refused]).toEqual([3, REFUSED])
  for (const connection of first.open) keeper.giveBack(MAILBOX, connection)
  rounds.length = 0
  expect((await keeper.take(MAILBOX, 14)).open).toHaveLength(3)
  expect(rounds).toEqual([3])
})
