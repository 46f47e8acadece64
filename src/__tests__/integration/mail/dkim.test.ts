import { domainToASCII } from 'node:url'
import { dkimVerify } from 'mailauth/lib/dkim/verify'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import { type DkimKey, readDkimKeys } from '#lib/mail/domains/dkim-keys.ts'
import type { SendingDomain } from '#lib/mail/domains/sending-domain.ts'
import { type ResolveTxt, verifyDomain } from '#lib/mail/domains/verify-domain.ts'
import { composeMessage } from '#lib/mail/message/compose.ts'
import { type Keyring, readKeyring } from '#lib/platform/keyring.ts'
import { rotateCredentials } from '#lib/tenancy/credentials/rotate-credentials.ts'
import { makeKey, makeKeyring } from '#tests/support/data/keys.ts'
import { actor } from '#tests/support/data/people.ts'
import { setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'

const app = testApp()
let owner: Visitor
let workspaceId: string
let added: SendingDomain
let serial = 0

beforeAll(async () => {
  owner = await setUp()
  workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
})
beforeEach(async () => {
  serial += 1
  added = await owner.ask<SendingDomain>('POST', '/api/domains', { body: { domain: `Bücher${serial}.Example` } })
})

const keys = (): Keyring => {
  const reading = readKeyring(process.env.ENCRYPTION_KEYS ?? '')
  if (!reading.ok) throw new Error(reading.problem)
  return reading.keyring
}
/** A DNS in which these records stand, cut into pieces like those of every name server. */
const dns =
  (...records: string[]): ResolveTxt =>
  async (name) => {
    if (name !== added.record.name || records.length === 0)
      throw Object.assign(new Error('queryTxt'), { code: 'ENOTFOUND' })
    return records.map((record) => record.match(/.{1,255}/g) ?? [])
  }
const verify = (resolveTxt: ResolveTxt) => verifyDomain(app.db.pool, workspaceId, added.id, actor, resolveTxt)
const keyFor = async (address: string, of = workspaceId) => {
  const key = (await readDkimKeys(app.db.pool, keys(), [of]))(of, address)
  if (key && 'unreadable' in key) throw new Error(`the key of ${key.domain} cannot be read`)
  return key
}

const UNSUBSCRIBE = {
  'List-Unsubscribe': '<https://mail.example.com/u/abc>',
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
}
const contentFrom = (domain: string): EmailContent => ({
  from: { name: 'Ann Ünal', address: `ann@${domain}` },
  to: { name: '山田', address: 'taro@example.com' },
  subject: 'Grüße 👋 and a subject that is long enough to be folded over several lines of the header',
  text: 'A line.\n.\nFrom here  \n\n\n',
  html: `<p>${'ü <b>long</b> '.repeat(200)}</p>`,
  messageId: `<1@${domain}>`,
  date: new Date('2026-11-18T09:30:00Z'),
  headers: { 'In-Reply-To': '<0@x.example>', References: '<0@x.example>', ...UNSUBSCRIBE },
})

async function results(raw: Buffer) {
  const { results } = await dkimVerify(raw, { resolver: async (name: string) => dns(added.record.value)(name) })
  return results
}
async function signed(key?: DkimKey) {
  const dkim = key ?? (await keyFor(`ann@${added.domain}`))
  if (!dkim) throw new Error('there is no key')
  return (await composeMessage(contentFrom(added.domain), dkim)).raw
}

test('a verified domain signs, and an independent library finds the signature right and the headers in it', async () => {
  expect(await verify(dns('other=1', added.record.value))).toMatchObject({ problem: null })
  const [result, ...others] = await results(await signed())
  expect(others).toEqual([])
  expect(result).toMatchObject({ status: { result: 'pass', aligned: added.domain }, signingDomain: added.domain })
  expect(result?.signingHeaders?.keys?.toLowerCase().split(/[:;\s]+/)).toEqual(
    expect.arrayContaining([
      'from',
      'to',
      'subject',
      'date',
      'message-id',
      'in-reply-to',
      'references',
      'list-unsubscribe',
      'list-unsubscribe-post',
    ]),
  )
})

test.each(['\n', '\r', '\r\n'])('a calendar with lines that end in %j is signed as it arrives', async (end) => {
  await verify(dns(added.record.value))
  const dkim = await keyFor(`ann@${added.domain}`)
  const content = Buffer.from(['BEGIN:VCALENDAR', 'METHOD:REQUEST', 'SUMMARY:Grüße', 'END:VCALENDAR', ''].join(end))
  const parts = [{ kind: 'CALENDAR' as const, fileName: 'invite.ics', method: 'REQUEST' as const, content }]
  const { raw } = await composeMessage(contentFrom(added.domain), dkim, { parts })
  // As SMTP has them: a line that ends otherwise is mended on the way.
  const arrived = raw.toString('latin1').replace(/\r\n?|\n/g, '\r\n')
  expect((await results(Buffer.from(arrived, 'latin1'))).map(({ status }) => status.result)).toEqual(['pass'])
})

test.each([
  ['the unsubscribe link', 'https://mail.example.com/u/abc', 'https://evil.example.com/u/abc'],
  ['the one-click header', 'List-Unsubscribe=One-Click', 'List-Unsubscribe=Two-Click'],
  ['the recipient', 'taro@example.com', 'hugo@example.com'],
  ['the body', 'A line.', 'A lime.'],
  ['the thread', 'In-Reply-To: <0@', 'In-Reply-To: <9@'],
])('a change of %s on the way breaks the signature', async (_what, before, after) => {
  await verify(dns(added.record.value))
  const raw = (await signed()).toString('latin1')
  expect(raw).toContain(before)
  const [result] = await results(Buffer.from(raw.replace(before, after), 'latin1'))
  expect(result?.status.result).not.toBe('pass')
})

test.each([
  'From: Eve <eve@evil.example>',
  'Subject: Pay at once',
  'To: everybody@example.com',
  'Reply-To: eve@evil.example',
  'Cc: eve@evil.example',
  'Date: Wed, 18 Nov 2020 09:30:00 +0000',
  'List-Unsubscribe: <https://evil.example.com/u/abc>',
  'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
])('a header that is added on the way, and that readers believe, breaks the signature: %s', async (header) => {
  await verify(dns(added.record.value))
  const raw = (await signed()).toString('latin1')
  const places = [`${header}\r\n${raw}`, raw.replace('\r\nMIME-Version:', `\r\n${header}\r\nMIME-Version:`)]
  expect(places[1]).toContain(header)
  for (const place of places) {
    const [result] = await results(Buffer.from(place, 'latin1'))
    expect(result?.status.result).not.toBe('pass')
  }
})

test('what servers on the way may do does not break it: lines folded anew, spaces at their ends, a trace at the top', async () => {
  await verify(dns(added.record.value))
  const raw = (await signed()).toString('latin1')
  const handled = `Received: from a by b\r\n${raw.replace('A line.', 'A line. \t').replace(/\r\nSubject: /, '\r\nSUBJECT:\r\n\t')}\r\n\r\n`
  const [result] = await results(Buffer.from(handled, 'latin1'))
  expect(result?.status.result).toBe('pass')
})

test('the same content signed twice is the same, byte for byte', async () => {
  await verify(dns(added.record.value))
  expect((await signed()).equals(await signed())).toBe(true)
})

describe('no key signs', () => {
  test('before its record was found', async () => {
    expect(await keyFor(`ann@${added.domain}`)).toBeUndefined()
  })

  test('for another domain or another workspace, but for what lies below its own', async () => {
    await verify(dns(added.record.value))
    expect((await keyFor(`ann@mail.${added.domain}`))?.domain).toBe(added.domain)
    expect(await keyFor(`ann@evil-${added.domain}`)).toBeUndefined()
    expect(await keyFor('ann@example')).toBeUndefined()
    const elsewhere = await owner.ask<{ id: string }>('POST', '/api/workspaces', { body: { name: 'Elsewhere' } })
    await owner.ask('PATCH', '/api/session', { body: { workspaceId } })
    expect(await keyFor(`ann@${added.domain}`, elsewhere.id)).toBeUndefined()
  })

  test('after its domain was removed, and no key is kept', async () => {
    await verify(dns(added.record.value))
    await owner.ask('DELETE', '/api/domains/[id]', { params: { id: added.id } })
    expect(await keyFor(`ann@${added.domain}`)).toBeUndefined()
    const { rows } = await app.db.pool.query('SELECT 1 FROM encrypted_credentials WHERE owner_id = $1', [added.id])
    expect(rows).toEqual([])
  })

  test('once its record is gone; while a name server is silent, nothing changes', async () => {
    await verify(dns(added.record.value))
    const silent: ResolveTxt = () => Promise.reject(Object.assign(new Error('x'), { code: 'ETIMEOUT' }))
    expect((await verify(silent)).problem).toMatch(/did not answer/)
    expect(await keyFor(`ann@${added.domain}`)).toBeDefined()
    expect((await verify(dns())).problem).toMatch(/no such record/)
    expect(await keyFor(`ann@${added.domain}`)).toBeUndefined()
  })

  test('that cannot: the message is not sent without saying so', async () => {
    const broken = { domain: added.domain, selector: 's', privateKey: 'no key' }
    await expect(signed(broken)).rejects.toThrow('cannot sign')
  })
})

test.each<[string, () => string[], RegExp]>([
  ['nothing', () => [], /There is no such record/],
  ['records of others', () => ['v=spf1 -all', 'google-site-verification=x'], /There is no such record/],
  ['another key', () => ['v=DKIM1; k=rsa; p=AAAA'], /holds another key/],
  ['a revoked key', () => ['v=DKIM1; p='], /holds another key/],
  ['ours twice', () => [added.record.value, added.record.value], /several records/],
  ['another kind of key', () => [added.record.value.replace('k=rsa', 'k=ed25519')], /begins otherwise/],
])('a DNS that holds %s does not verify, and says why', async (_what, records, sentence) => {
  expect(await verify(dns(...records()))).toMatchObject({
    domain: { verifiedAt: null },
    problem: expect.stringMatching(sentence),
  })
})

test('a record with spaces and in another order of tags is the same record', async () => {
  const [, , p = ''] = added.record.value.split('; ')
  expect(await verify(dns(`p = ${p.slice(2).replace(/.{60}/g, '$& ')} ;k=rsa; v=DKIM1;`))).toMatchObject({
    problem: null,
  })
})

test('the API shows the record and never a private key; one domain once; a domain in words that exist', async () => {
  const list = await owner.call('GET', '/api/domains')
  expect(JSON.stringify(list.json)).not.toMatch(/PRIVATE|privateKey/)
  expect(added).toMatchObject({ domain: domainToASCII(`bücher${serial}.example`), verifiedAt: null })
  expect(added.record.value).toMatch(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{390,}={0,2}$/)
  const again = await owner.call('POST', '/api/domains', { body: { domain: added.domain } })
  expect([again.status, again.json]).toMatchObject([409, { error: { message: 'This domain has been added already.' } }])
  expect((await owner.call('POST', '/api/domains', { body: { domain: 'not a domain' } })).status).toBe(400)
})

test('adding, verifying and removing are in the audit log', async () => {
  await verify(dns(added.record.value))
  await verify(dns(added.record.value))
  await owner.ask('DELETE', '/api/domains/[id]', { params: { id: added.id } })
  const { rows } = await app.db.pool.query(`SELECT action FROM audit_log WHERE target_id = $1 ORDER BY id`, [added.id])
  expect(rows.map(({ action }) => action)).toEqual(['domain.added', 'domain.verified', 'domain.removed'])
})

test('keys are read after a rotation as before', async () => {
  await verify(dns(added.record.value))
  const before = await keyFor(`ann@${added.domain}`)
  const fresh = makeKey('fresh')
  await rotateCredentials(app.db.pool, makeKeyring(fresh, process.env.ENCRYPTION_KEYS ?? ''))
  const read = await readDkimKeys(app.db.pool, makeKeyring(fresh), [workspaceId])
  expect(read(workspaceId, `ann@${added.domain}`)).toEqual(before)
})

describe('what stands in DNS', () => {
  const found = async () => {
    const { domains } = await owner.ask<{ domains: SendingDomain[] }>('GET', '/api/domains')
    return domains.find(({ id }) => id === added.id)
  }

  test('is told of each record, with when it was looked at', async () => {
    expect((await found())?.checks.map(({ finding }) => finding.state)).toEqual(['unknown', 'unknown', 'unknown'])
    const standing = new Map([
      [added.record.name, [[added.record.value]]],
      [added.domain, [['v=spf1 -all'], ['other']]],
    ])
    await verify(async (name) => {
      const records = standing.get(name)
      if (records) return records
      throw Object.assign(new Error('queryTxt'), { code: 'ENODATA' })
    })
    const after = await found()
    expect(after?.checks.map(({ kind, finding }) => [kind, finding.state])).toEqual([
      ['dkim', 'right'],
      ['spf', 'right'],
      ['dmarc', 'missing'],
    ])
    expect(after?.lookedAt).not.toBeNull()
  })

  test('where a name server is silent the signing goes on, and what it was asked is told', async () => {
    await verify(dns(added.record.value))
    await verify(async () => Promise.reject(Object.assign(new Error('queryTxt'), { code: 'ESERVFAIL' })))
    const after = await found()
    expect(after?.verifiedAt).not.toBeNull()
    expect(after?.checks.map(({ finding }) => finding.state)).toEqual(['unanswered', 'unanswered', 'unanswered'])
  })
})
