import { describe, expect, test } from 'vitest'
import { isPublicAddress, NO_HOSTS_ALLOWED, readAllowedHosts } from '#lib/mail/smtp/host-safety.ts'
import { type ResolveName, resolveHost } from '#lib/mail/smtp/resolve-host.ts'

const FORBIDDEN = {
  'this machine': ['127.0.0.1', '127.8.8.8', '::1', '0.0.0.0', '0.1.2.3', '::'],
  'a private network': [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    'fc00::1',
    'fd12:3456::1',
    'fec0::1',
  ],
  'the link': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0'],
  'a carrier’s network': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.250', 'ff02::1'],
  'broadcast and reserved': [
    '255.255.255.255',
    '240.0.0.1',
    '192.0.0.1',
    '198.18.0.1',
    '203.0.113.5',
    '2001:db8::1',
    '100::1',
  ],
  'metadata of a cloud': ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
  'IPv4 in IPv6': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::127.0.0.1', '::ffff:0:127.0.0.1'],
  'IPv4 through a translator': ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  'IPv4 through a tunnel': ['2002:7f00:1::', '2002:808:808::1', '2001:0:7f00:1::'],
  'no address at all': ['localhost', '', '1.2.3', '2000::/3'],
}

describe('a mail server of a stranger', () => {
  test.each(Object.entries(FORBIDDEN))('is never at %s', (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([])
  })

  test('may be anywhere else', () => {
    const open = ['8.8.8.8', '142.250.1.1', '172.32.0.1', '100.128.0.1', '2a00:1450:4013::1a', '2607:f8b0::1']
    expect(open.filter((address) => !isPublicAddress(address))).toEqual([])
  })
})

const at =
  (...addresses: string[]): ResolveName =>
  async () =>
    addresses
const WANTED = { host: 'mail.example.test', port: 587, security: 'STARTTLS' } as const
const resolve = (
  wanted: Partial<{ host: string; port: number; security: 'STARTTLS' | 'TLS' | 'NONE' }>,
  addresses: string[],
  allowed = NO_HOSTS_ALLOWED,
) => resolveHost({ ...WANTED, ...wanted }, allowed, at(...addresses), 1_000)

describe('resolving a host', () => {
  test('answers where it is, in the order of the resolver', async () => {
    expect(await resolve({}, ['2a00:1450::1', '8.8.8.8'])).toEqual({ ok: true, addresses: ['2a00:1450::1', '8.8.8.8'] })
  })

  test('refuses where only one of its addresses is inside', async () => {
    expect(await resolve({}, ['8.8.8.8', '10.0.0.1'])).toMatchObject({
      ok: false,
      stage: 'address',
      code: 'HOST_FORBIDDEN',
    })
  })

  test('refuses an address that is written in place of a name, in whatever form', async () => {
    const nobody: ResolveName = async () => ['127.0.0.1']
    for (const host of ['127.0.0.1', '::1', '2130706433', '0x7f.1', '127.1', '0177.0.0.1', 'localhost', 'LOCALHOST.'])
      expect(await resolveHost({ ...WANTED, host }, NO_HOSTS_ALLOWED, nobody, 1_000)).toMatchObject({
        code: 'HOST_FORBIDDEN',
      })
  })

  test.each([25, 22, 80, 443, 5432, 6379, 0])('refuses port %s', async (port) => {
    expect(await resolve({ port }, ['8.8.8.8'])).toMatchObject({
      code: 'HOST_FORBIDDEN',
      reason: expect.stringContaining('465'),
    })
  })

  test.each([465, 587, 2525])('allows port %s', async (port) => {
    expect(await resolve({ port }, ['8.8.8.8'])).toMatchObject({ ok: true })
  })

  test('refuses to do without encryption', async () => {
    expect(await resolve({ security: 'NONE' }, ['8.8.8.8'])).toMatchObject({ code: 'HOST_FORBIDDEN' })
  })

  test('says so where there is no such name, or nobody answers', async () => {
    const none: ResolveName = async () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }))
    const away: ResolveName = async () => Promise.reject(Object.assign(new Error('x'), { code: 'EAI_AGAIN' }))
    const silent: ResolveName = () => new Promise(() => {})
    expect(await resolveHost(WANTED, NO_HOSTS_ALLOWED, none, 1_000)).toMatchObject({ stage: 'name', code: 'ENOTFOUND' })
    expect(await resolveHost(WANTED, NO_HOSTS_ALLOWED, away, 1_000)).toMatchObject({ stage: 'name', code: 'ETIMEDOUT' })
    expect(await resolveHost(WANTED, NO_HOSTS_ALLOWED, silent, 10)).toMatchObject({ stage: 'name', code: 'ETIMEDOUT' })
  })
})

describe('what the environment allows', () => {
  const insecure = { port: 1025, security: 'NONE' } as const
  test.each([
    ['true', 'any.test', '10.1.2.3', true],
    ['127.0.0.1', 'any.test', '127.0.0.1', true],
    ['127.0.0.1', 'any.test', '127.0.0.2', false],
    ['10.1.0.0/16, ::1', 'any.test', '10.1.2.3', true],
    ['10.1.0.0/16, ::1', 'any.test', '::1', true],
    ['10.1.0.0/16, ::1', 'any.test', '10.2.2.3', false],
    ['relay.internal', 'Relay.Internal', '10.1.2.3', true],
    ['relay.internal', 'evil.relay.internal', '10.1.2.3', false],
    ['', 'any.test', '127.0.0.1', false],
    ['127.0.0.1', 'any.test', '::ffff:127.0.0.1', false],
    ['false', 'any.test', '127.0.0.1', false],
  ])('%j lets %s at %s be used: %s', async (text, host, address, expected) => {
    expect((await resolve({ ...insecure, host }, [address], readAllowedHosts(text))).ok).toBe(expected)
  })

  test('holds for a host only where all of its addresses are allowed', async () => {
    expect((await resolve(insecure, ['10.1.0.1', '10.2.0.1'], readAllowedHosts('10.1.0.0/16'))).ok).toBe(false)
  })
})
