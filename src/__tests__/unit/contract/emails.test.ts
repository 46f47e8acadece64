import { expect, test } from 'vitest'
import { emails } from '#lib/contract/emails.ts'

const asked = (more: object) =>
  emails.send.body.safeParse({ to: 'zoe@example.test', subject: 'Hi', text: 'x', ...more })

test('a file that is only padding is refused about as fast as any other: one request must not hold up a process', () => {
  const startedMs = performance.now()
  // Tried anew from each of its signs, this took half a minute; and ten times as much a hundred times that.
  expect(asked({ attachments: [{ fileName: 'a', content: `${'='.repeat(200_000)}x` }] }).success).toBe(false)
  expect(performance.now() - startedMs).toBeLessThan(2_000)
})

test('what a mail could not carry is refused at the call, and not when it is to be sent', () => {
  const file = { fileName: 'letter.eml', content: Buffer.from('From: ä').toString('base64') }
  for (const contentType of ['message/rfc822', 'MESSAGE/delivery-status', 'multipart/mixed'])
    expect([contentType, asked({ attachments: [{ ...file, contentType }] }).success]).toEqual([contentType, false])
  expect(asked({ attachments: [{ ...file, contentType: 'application/octet-stream' }] }).success).toBe(true)
  expect(asked({ headers: { references: '<ä@example.test>' } }).success).toBe(false)
  expect(asked({ headers: { 'In-Reply-To': '<a@example.test>', 'X-Note': 'ä' } }).success).toBe(true)
})

test('an address for answers that is megabytes long is refused in words, and breaks nothing', () => {
  const replyTo = `help@${'a.'.repeat(5_000_000)}`
  expect(asked({ replyTo }).error?.issues.map(({ path, message }) => [path, message])).toEqual([
    [['replyTo'], 'An address has at most 254 characters.'],
  ])
})
