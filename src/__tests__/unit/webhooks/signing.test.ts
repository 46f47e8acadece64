import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { bodyOf } from '#lib/webhooks/payload.ts'
import { newSecret, sign, webhookIdOf } from '#lib/webhooks/signature.ts'

const BODY = bodyOf({
  type: 'email.sent',
  happenedAt: new Date('2026-11-20T09:00:00.123Z'),
  data: { emailId: 'e', name: 'Jürgen ☂' },
})
const ID = webhookIdOf('0199b1f0-0000-7000-8000-000000000001')

describe('a signature', () => {
  test('is taken by the public library of the specification, and no other secret, body or id is', () => {
    const secret = newSecret()
    const headers = sign([secret], ID, new Date(), BODY)
    expect(new Webhook(secret).verify(BODY, headers)).toMatchObject({ type: 'email.sent' })
    expect(() => new Webhook(newSecret()).verify(BODY, headers)).toThrow()
    expect(() => new Webhook(secret).verify(`${BODY} `, headers)).toThrow()
    expect(() => new Webhook(secret).verify(BODY, { ...headers, 'webhook-id': 'msg_other' })).toThrow()
  })

  test('of two secrets is taken by either, so that nothing is lost while one follows the other', () => {
    const [before, after] = [newSecret(), newSecret()]
    const headers = sign([after, before], ID, new Date(), BODY)
    for (const secret of [before, after]) expect(() => new Webhook(secret).verify(BODY, headers)).not.toThrow()
  })

  test('carries the moment of the attempt, so that an old one cannot be played again', () => {
    const secret = newSecret()
    const old = sign([secret], ID, new Date(Date.now() - 600_000), BODY)
    expect(() => new Webhook(secret).verify(BODY, old)).toThrow(/old/)
  })

  test('is made with 32 random bytes', () => {
    expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(newSecret()).not.toBe(newSecret())
  })
})

test('a body says when it happened, and is the same at every repetition', () => {
  expect(BODY).toBe(
    '{"type":"email.sent","timestamp":"2026-11-20T09:00:00.123Z","data":{"emailId":"e","name":"Jürgen ☂"}}',
  )
})
