import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { decrypt, encrypt } from '#lib/platform/crypto.ts'
import { generateKey, type Keyring, readKeyring } from '#lib/platform/keyring.ts'

const key = () => randomBytes(32).toString('base64')

function ring(text: string): Keyring {
  const reading = readKeyring(text)
  if (!reading.ok) throw new Error(reading.problem)
  return reading.keyring
}

const place = ['workspace', 'mailbox', 'id', 'password']

test('what is encrypted is read again, and looks different each time', () => {
  const keyring = ring(`a:${key()}`)
  const [first, second] = [encrypt(keyring, 'geheim ✓', place), encrypt(keyring, 'geheim ✓', place)]
  expect(first.keyId).toBe('a')
  expect(first.ciphertext.equals(second.ciphertext)).toBe(false)
  expect(decrypt(keyring, first, place)).toBe('geheim ✓')
})

test('in another workspace, row or field it does not decrypt', () => {
  const keyring = ring(`a:${key()}`)
  const secret = encrypt(keyring, 'geheim', place)
  for (let part = 0; part < place.length; part++) {
    const elsewhere = place.map((value, index) => (index === part ? `${value}2` : value))
    expect(() => decrypt(keyring, secret, elsewhere)).toThrow()
  }
  expect(() => decrypt(keyring, secret, ['workspacemailbox', '', 'id', 'password'])).toThrow()
})

test('one changed bit anywhere is noticed, and so is a shortened tag', () => {
  const keyring = ring(`a:${key()}`)
  const { keyId, ciphertext } = encrypt(keyring, 'geheim', place)
  for (let index = 0; index < ciphertext.length; index++) {
    const changed = Buffer.from(ciphertext)
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
    expect(() => decrypt(keyring, { keyId, ciphertext: changed }, place)).toThrow()
  }
  expect(() => decrypt(keyring, { keyId, ciphertext: ciphertext.subarray(0, 20) }, place)).toThrow()
})

test('the first key encrypts, all decrypt, and a missing one is named', () => {
  const [old, current] = [key(), key()]
  const before = encrypt(ring(`old:${old}`), 'geheim', place)
  const after = ring(`new:${current},old:${old}`)
  expect(decrypt(after, before, place)).toBe('geheim')
  expect(encrypt(after, 'x', place).keyId).toBe('new')
  expect(() => decrypt(ring(`new:${current}`), before, place)).toThrow('"old"')
})

test('a generated key is one that can be used', () => {
  expect(ring(generateKey(new Date('2026-03-04T00:00:00Z'))).currentId).toMatch(/^k20260304-/)
})

test.each([
  ['', 'malformed'],
  ['nocolon', 'malformed'],
  ['a:b:c', 'malformed'],
  [`a:${key()},`, 'malformed'],
  ['a:c2hvcnQ=', 'not 32 bytes'],
  [`a:${key()}!`, 'not 32 bytes'],
  [`a b:${key()}`, 'other characters'],
  [`a:${key()},a:${key()}`, 'twice'],
])('ENCRYPTION_KEYS %j is refused with a sentence that quotes no key', (text, sentence) => {
  const reading = readKeyring(text)
  expect(reading).toMatchObject({ ok: false, problem: expect.stringContaining(sentence) })
  for (const part of text.split(/[:,]/).filter((secret) => secret.length > 20))
    expect(JSON.stringify(reading)).not.toContain(part)
})
