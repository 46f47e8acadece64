import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readAddress, readDomain, withParents } from '#lib/audience/address.ts'

const addressOf = (text: string) => {
  const reading = readAddress(text)
  return reading.ok ? reading.address : undefined
}

test.each([
  ['ann@example.com', 'ann@example.com'],
  ['  Ann.Lee+News@Example.COM ', 'ann.lee+news@example.com'],
  ["o'hara!#$%&*/=?^_`{|}~-@example.com", "o'hara!#$%&*/=?^_`{|}~-@example.com"],
  ['ann@Müller.de', 'ann@xn--mller-kva.de'],
  ['ann@xn--MLLER-kva.de', 'ann@xn--mller-kva.de'],
  ['ann@mu\u0308ller.de', 'ann@xn--mller-kva.de'],
  ['ann@例え。テスト', 'ann@xn--r8jz45g.xn--zckzah'],
  ['ann@ｅｘａｍｐｌｅ.com', 'ann@example.com'],
  ['Jose\u0301@example.com', 'josé@example.com'],
  ['ДМИТРИЙ@пример.рф', 'дмитрий@xn--e1afmkfd.xn--p1ai'],
  ['用户@example.com', '用户@example.com'],
  ['İ@example.com', 'i̇@example.com'],
  ['a@b-c.d2.museum', 'a@b-c.d2.museum'],
])('%j is kept as %j', (written, kept) => {
  expect(addressOf(written)).toBe(kept)
})

describe('what is not exactly one address is refused in words', () => {
  test.each([
    ['', 'no address'],
    ['   ', 'no address'],
    ['ann', 'has an @'],
    ['ann@', 'domain'],
    ['@example.com', 'before the @'],
    ['ann@bob@example.com', 'only one @'],
    ['ann@example.com, bob@example.com', 'one address'],
    ['ann@example.com;bob@example.com', 'one address'],
    ['friends:ann@example.com;', 'one address'],
    ['friends:ann@example.com', 'no address has'],
    ['Ann <ann@example.com>', 'without a name'],
    ['ann@example.com\r\nBcc: bob@example.com', 'one line'],
    ['ann\n@example.com', 'one line'],
    ['ann @example.com', 'no address has'],
    ['ann@exam ple.com', 'no domain has'],
    ['"ann lee"@example.com', 'no address has'],
    ['ann(comment)@example.com', 'no address has'],
    ['ann\\@example.com', 'no address has'],
    ['.ann@example.com', 'full stop'],
    ['ann.@example.com', 'full stop'],
    ['a..b@example.com', 'full stop'],
    ['ann@localhost', 'ending'],
    ['ann@example.com.', 'can exist'],
    ['ann@.example.com', 'can exist'],
    ['ann@example..com', 'can exist'],
    ['ann@-example.com', 'can exist'],
    ['ann@exa_mple.com', 'no domain has'],
    ['ann@ex%61mple.com', 'no domain has'],
    ['ann@example.com/path', 'no domain has'],
    ['ann@example.com:25', 'no domain has'],
    ['ann@[127.0.0.1]', 'no domain has'],
    ['ann@127.0.0.1', 'number'],
    ['ann@127.1', 'number'],
    ['ann@example.123', 'exist'],
    ['ann@xn--iñvalid.com', 'can exist'],
    ['a\u0000nn@example.com', 'no address has'],
    ['a\u200bnn@example.com', 'no address has'],
    ['a\u202enn@example.com', 'no address has'],
    ['a\u00a0nn@example.com', 'no address has'],
    ['ann＠evil.test@example.com', 'punctuation'],
    ['ann，bob@example.com', 'punctuation'],
    ['ann；bob@example.com', 'punctuation'],
    ['\ud800@example.com', 'no address has'],
    [`${'a'.repeat(65)}@example.com`, 'at most 64'],
    [`${'é'.repeat(33)}@example.com`, 'at most 64'],
    [`a@${'b'.repeat(64)}.com`, 'can exist'],
    [`${'a'.repeat(20)}@${`${'b'.repeat(60)}.`.repeat(4)}com`, 'at most 254'],
    ['a'.repeat(1_100), 'at most 254'],
  ])('%j', (written, told) => {
    const reading = readAddress(written)
    expect(reading.ok).toBe(false)
    if (!reading.ok) expect(reading.reason).toContain(told)
  })
})

test('whatever is accepted is its own normal form, and holds one @ and nothing that separates', () => {
  const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  const anything = fc.oneof(
    fc.tuple(part, part).map(([local, domain]) => `${local}@${domain}.com`),
    fc.emailAddress(),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(anything, (text) => {
      const address = addressOf(text)
      if (address === undefined) return
      expect(addressOf(address)).toBe(address)
      expect(address.match(/@/g)).toHaveLength(1)
      expect(address).not.toMatch(/[\s,;:<>"()]/)
    }),
    { numRuns: 5_000 },
  )
})

test('a domain is read with its parents, the ending alone excepted', () => {
  expect(readDomain(' Mail.Example.CO.UK ')).toEqual({ ok: true, domain: 'mail.example.co.uk' })
  expect(withParents('mail.example.co.uk')).toEqual(['mail.example.co.uk', 'example.co.uk', 'co.uk'])
  expect(withParents('example.com')).toEqual(['example.com'])
})
