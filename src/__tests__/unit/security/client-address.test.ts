import { expect, test } from 'vitest'
import { addressBlock, clientAddress } from '#lib/platform/client-address.ts'

const from = (headers: Record<string, string>, proxies = 0, VERCEL?: string) =>
  clientAddress(new Headers(headers), { TRUSTED_PROXIES: proxies, VERCEL })

test('without a trusted proxy nobody is believed', () => {
  expect(
    from({ 'x-forwarded-for': '1.2.3.4', 'x-real-ip': '1.2.3.4', 'x-vercel-forwarded-for': '1.2.3.4' }),
  ).toBeUndefined()
})

test('of several entries, the one that our own proxy appended counts', () => {
  expect(from({ 'x-forwarded-for': '6.6.6.6, 1.2.3.4' }, 1)).toBe('1.2.3.4')
  expect(from({ 'x-forwarded-for': '6.6.6.6, 1.2.3.4, 10.0.0.1' }, 2)).toBe('1.2.3.4')
  expect(from({ 'x-forwarded-for': '1.2.3.4' }, 2)).toBeUndefined()
  expect(from({}, 1)).toBeUndefined()
})

test("on Vercel, Vercel's own header counts and no other", () => {
  expect(from({ 'x-vercel-forwarded-for': '1.2.3.4', 'x-forwarded-for': '6.6.6.6' }, 0, '1')).toBe('1.2.3.4')
  expect(from({ 'x-forwarded-for': '6.6.6.6' }, 0, '1')).toBeUndefined()
})

test('however an address is written, it is one', () => {
  expect(from({ 'x-forwarded-for': '1.2.3.4:5678' }, 1)).toBe('1.2.3.4')
  expect(from({ 'x-forwarded-for': '::ffff:1.2.3.4' }, 1)).toBe('1.2.3.4')
  expect(from({ 'x-forwarded-for': '::FFFF:0102:0304' }, 1)).toBe('1.2.3.4')
  expect(from({ 'x-forwarded-for': '[2001:DB8::1]:443' }, 1)).toBe('2001:db8::1')
  expect(from({ 'x-forwarded-for': 'not an address' }, 1)).toBeUndefined()
})

test('a caller cannot hide in the many addresses of their IPv6 network', () => {
  expect(addressBlock('2001:db8:1:2:aaaa::1')).toBe('2001:db8:1:2::/64')
  expect(addressBlock('2001:db8:1:2::ffff')).toBe('2001:db8:1:2::/64')
  expect(addressBlock('2001:0db8:0001:0002:0:0:0:5')).toBe('2001:db8:1:2::/64')
  expect(addressBlock('::1')).toBe('0:0:0:0::/64')
  expect(addressBlock('1.2.3.4')).toBe('1.2.3.4')
})
