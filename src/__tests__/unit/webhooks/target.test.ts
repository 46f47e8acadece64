import { describe, expect, test } from 'vitest'
import { NO_HOSTS_ALLOWED, readAllowedHosts } from '#lib/mail/smtp/host-safety.ts'
import { findTarget } from '#lib/webhooks/target.ts'

const names: Record<string, string[]> = {
  'hooks.example.com': ['93.184.216.34'],
  'inside.example.com': ['10.0.0.7'],
  'mixed.example.com': ['93.184.216.34', '169.254.169.254'],
  'hooks.internal': ['10.2.0.1'],
}
const asked: string[] = []
const resolve = async (host: string) => {
  asked.push(host)
  return names[host] ?? []
}
const find = (url: string, allowed = NO_HOSTS_ALLOWED) => findTarget(url, { allowed, resolve }, 1_000)

describe('where events may be sent', () => {
  test('is any address of the internet over https, on the port it names', async () => {
    asked.length = 0
    const target = await find('https://hooks.example.com:8443/in?key=1#part')
    expect(target).toMatchObject({ ok: true, host: 'hooks.example.com', addresses: ['93.184.216.34'] })
    expect(target.ok && target.url.href).toBe('https://hooks.example.com:8443/in?key=1')
    expect(asked).toEqual(['hooks.example.com'])
  })

  test.each([
    'https://inside.example.com/',
    'https://mixed.example.com/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[fd00::1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://168.63.129.16/',
    'https://0.0.0.0/',
    'https://100.64.0.1/',
    'https://[64:ff9b::7f00:1]/',
  ])('is not %s, which is inside a private network', async (url) => {
    expect(await find(url)).toMatchObject({
      ok: false,
      isForbidden: true,
      sentence: expect.stringContaining('inside a private network'),
    })
  })

  test.each([
    ['http://hooks.example.com/', 'unencrypted'],
    ['https://user:secret@hooks.example.com/', 'user name or a password'],
    ['ftp://hooks.example.com/', 'no address'],
    ['file:///etc/passwd', 'no address'],
    ['hooks.example.com', 'no address'],
    ['https://', 'no address'],
    [`https://hooks.example.com/${'a'.repeat(2_000)}`, 'more than 2000 characters'],
  ])('is not %s', async (url, why) => {
    expect(await find(url)).toMatchObject({ ok: false, isForbidden: true, sentence: expect.stringContaining(why) })
  })

  test('may be what the operator allows, over http as well', async () => {
    const allowed = readAllowedHosts('hooks.internal, 127.0.0.1')
    expect(await find('http://hooks.internal/', allowed)).toMatchObject({ ok: true, addresses: ['10.2.0.1'] })
    expect(await find('http://127.0.0.1:3000/', allowed)).toMatchObject({ ok: true })
    expect(await find('https://inside.example.com/', allowed)).toMatchObject({ ok: false, isForbidden: true })
  })

  test('a name that nobody knows may be known tomorrow', async () => {
    expect(await find('https://nowhere.example.com/')).toMatchObject({ ok: false, isForbidden: false })
  })
})
