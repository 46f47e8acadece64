import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Message, messageId, readMessage, writeMessage } from '#lib/dispatch/message.ts'

const EMAIL_ID = '01a1f3d2-2ea4-7efc-b251-e0ae8af7de92'
const message: Message = { kind: 'email', emailId: EMAIL_ID, key: 'a:b:1', leaseToken: 7 }
const ofAction: Message = { kind: 'action', actionId: EMAIL_ID, key: 'timeout:a:b:1', leaseToken: 7 }

describe('a message', () => {
  test('is read as it was written, and holds nothing but names', () => {
    for (const one of [message, ofAction]) expect(readMessage(writeMessage(one))).toEqual({ ok: true, message: one })
    expect(Object.keys(JSON.parse(writeMessage(message))).sort()).toEqual(['emailId', 'key', 'kind', 'leaseToken'])
  })

  test.each([
    ['no JSON', '{"kind":', 'it is not JSON'],
    ['nothing', '', 'it is not JSON'],
    ['too long', 'x'.repeat(5_000), 'it is 5000 characters long'],
    ['null', 'null', 'the whole: invalid_type'],
    ['another kind', JSON.stringify({ ...message, kind: 'webhook' }), 'kind: invalid_union'],
    [
      'an email that says to be an action',
      JSON.stringify({ ...message, kind: 'action' }),
      'actionId: invalid_type, the whole: unrecognized_keys',
    ],
    ['an id that is none', JSON.stringify({ ...message, emailId: "'; DROP TABLE" }), 'emailId: invalid_format'],
    ['a token that no column takes', JSON.stringify({ ...message, leaseToken: 2 ** 31 }), 'leaseToken: too_big'],
    ['a token of none', JSON.stringify({ ...message, leaseToken: 0 }), 'leaseToken: too_small'],
    ['more than it should', JSON.stringify({ ...message, to: 'eve@example.com' }), 'the whole: unrecognized_keys'],
  ])('that is %s is not read, and what is wrong is said without a word of it', (_, text, problem) => {
    expect(readMessage(text)).toEqual({ ok: false, problem })
  })

  test('whatever it is made of, reading it neither throws nor repeats it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), fc.json({ maxDepth: 1 })), (text) => {
        const read = readMessage(text)
        expect(read.ok).toBe(false)
      }),
    )
  })
})

describe('its id', () => {
  test('is the same for the same claim, another for every other, and one that BullMQ takes', () => {
    const ids = [message, { ...message, leaseToken: 8 }, { ...message, emailId: EMAIL_ID.replace('0', '1') }].map(
      messageId,
    )
    expect(new Set(ids).size).toBe(3)
    expect(messageId({ ...message })).toBe(ids[0])
    for (const id of ids) expect(id).toMatch(/^email-[0-9a-f]{32}$/)
    expect(messageId(ofAction)).toMatch(/^action-[0-9a-f]{32}$/)
  })
})
