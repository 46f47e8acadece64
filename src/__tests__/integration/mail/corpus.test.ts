import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extract } from 'letterparser'
import { type ParsedMail, simpleParser } from 'mailparser'
import nodemailer from 'nodemailer'
import MailComposer from 'nodemailer/lib/mail-composer'
import { beforeAll, describe, expect, test } from 'vitest'
import { readAddress } from '#lib/audience/address.ts'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import { composeMessage } from '#lib/mail/message/compose.ts'
import { writeMime } from '#lib/mail/message/mime-text.ts'
import { oneLine } from '#lib/sequences/one-line.ts'
import { compileStep, renderStep } from '#lib/sequences/render.ts'
import { inDns, mailSink } from '#tests/support/mail/mail-sink.ts'

/**
 * Hostile and odd texts, each rendered, sent by SMTP to a real server, read back by parsers that know nothing of us, and
 * compared with what was rendered.
 */
const sink = mailSink()
let transport: ReturnType<typeof nodemailer.createTransport>
beforeAll(() => {
  transport = nodemailer.createTransport({ host: '127.0.0.1', port: sink.port, ignoreTLS: true, pool: true })
  return () => transport.close()
})

const FOOTER = {
  postalAddress: 'Müller & Söhne GmbH\nÜberweg 1\n10115 Berlin',
  unsubscribeUrl: `https://mail.example.com/u/${'a'.repeat(70)}`,
}

const ODD_TEXTS: Record<string, string> = {
  plain: 'Ann Smith',
  apostrophe: `Siobhán O'Neill-d'Arcy`,
  quotes: `Ann "the boss" \\ Smith`,
  comma: 'Smith, Ann; Bob <bob@evil.example>',
  markup: '<script>alert(1)</script><img src=x onerror=alert(1)>',
  entities: '&lt;b&gt; &amp;amp; &#0; &nbsp;',
  attributeBreak: `" onmouseover="alert(1)`,
  header: 'Ann\r\nBcc: victim@evil.example\r\n\r\n<p>body</p>',
  bareBreaks: 'Ann\nX-Evil: 1\rX-Other: 2\u2028X-Third: 3\u0085X',
  encodedWord: '=?utf-8?Q?Evil=0D=0ABcc:_x@y.z?=',
  brokenEncodedWord: '=?utf-8?B?not base64 ?= =?x',
  emoji: '👩‍👩‍👧‍👦 Zoë 🏳️‍🌈',
  cjk: '山田 太郎 様へのご案内です。'.repeat(8),
  arabic: 'مرحبا بك يا صديقي',
  hebrewMixed: 'שלום Ann 123',
  override: 'Ann \u202egnp.exe\u2066',
  combining: `Z${'\u0301\u0302\u0303'.repeat(60)}algo`,
  nfd: 'Amélie'.normalize('NFD'),
  loneSurrogate: 'Half \ud83d a character',
  control: 'Bell\u0007 back\u0008 null-ish\u001b[31m',
  longWord: 'x'.repeat(990),
  longWords: 'Donaudampfschifffahrtsgesellschaft '.repeat(28).trim(),
  longUnicode: 'ü'.repeat(990),
  spaces: 'two  spaces   and a no-break\u00a0space',
  templates: '{{firstName}} {% if %} {{custom.x | "y"}} #{7*7} <%= x %>',
  smtp: 'A line\n.\nRCPT TO:<victim@evil.example>\n..\nQUIT',
  from: 'From here on\nFrom there',
  boundary: '----_NmP-00000000-Part_1\nContent-Type: text/html',
  percent: '100% %0d%0aBcc: x %s %n',
  sql: `'; DROP TABLE prospects; --`,
  comment: '--> ]]> </style></script></title>',
  zeroWidth: 'A\u200bn\u200dn\ufeff',
  trailing: 'ends with = and spaces   \nnext\t\nlast =',
  math: '𝔄𝔫𝔫 ℕ → ∞',
}

const STEPS = {
  'text alone': { bodyText: 'Dear {{firstName}},\n\n{{custom.odd}}\n\nYours, {{senderName}}', bodyHtml: '' },
  'HTML alone': {
    bodyText: '',
    bodyHtml: `<html><body><p title="{{custom.odd}}">Dear <b>{{firstName}}</b>,</p><a href="https://e.example/?q={{custom.odd}}">{{custom.odd}}</a><img src='https://e.example/a.png?x=1&y=2'></body></html>`,
  },
  both: { bodyText: '{{custom.odd}}', bodyHtml: '<p title={{firstName}}>{{custom.odd}}</p>' },
}

const THREAD = {
  'In-Reply-To': '<9f2c@acme.example>',
  References: Array.from({ length: 10 }, (_, index) => `<${index}.${'f'.repeat(40)}@acme.example>`).join(' '),
  'List-Unsubscribe': `<${FOOTER.unsubscribeUrl}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
}

function contentOf(odd: string, step: keyof typeof STEPS, to = 'ann@example.com'): EmailContent {
  const compiled = compileStep({ subject: '{{firstName}}: {{custom.odd}}', ...STEPS[step] })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors))
  const values = new Map([
    ['firstName', odd],
    ['custom.odd', odd],
    ['senderName', odd],
  ])
  const rendered = renderStep(compiled.step, values, FOOTER)
  if (rendered.kind !== 'content') throw new Error(JSON.stringify(rendered))
  return {
    from: { name: oneLine(odd), address: 'olga@acme.example' },
    to: { name: oneLine(odd), address: to },
    subject: rendered.subject,
    text: rendered.text,
    html: rendered.html,
    messageId: '<0123456789abcdef@acme.example>',
    date: new Date('2026-11-18T09:30:00.000Z'),
    headers: THREAD,
  }
}

/** Hands it over like a worker does, and answers what the server took. */
async function send(content: EmailContent) {
  const message = await composeMessage(content)
  const { from, to } = message.envelope
  await transport.sendMail({ envelope: { from, to: [to] }, raw: message.raw })
  const taken = sink.taken.at(-1)
  if (!taken) throw new Error('the server took nothing')
  return { message, taken, mail: await simpleParser(taken.raw, { skipTextToHtml: true, skipImageLinks: true }) }
}

const lf = (text: string) => text.replace(/\r\n?/g, '\n')
/** A parser may drop what blank lines end a part. */
const trimmed = (text: string) => lf(text).trimEnd()
const addresses = (field: ParsedMail['to']) =>
  (Array.isArray(field) ? field : [field]).flatMap((one) => one?.value ?? [])

describe.each(Object.keys(STEPS) as (keyof typeof STEPS)[])('a step of %s', (step) => {
  test.each(Object.entries(ODD_TEXTS))('says what was rendered, and nothing else: %s', async (_name, odd) => {
    const content = contentOf(odd, step)
    const { message, taken, mail } = await send(content)

    expect(taken.raw.equals(message.raw)).toBe(true)
    expect(taken).toMatchObject({ from: 'olga@acme.example', to: ['ann@example.com'] })

    expect(mail.subject).toBe(content.subject)
    expect(trimmed(mail.text ?? '')).toBe(trimmed(content.text))
    expect(trimmed(mail.html || '')).toBe(trimmed(content.html))
    expect(addresses(mail.to)).toEqual([{ name: shown(content.to.name), address: 'ann@example.com' }])
    expect(addresses(mail.from)).toEqual([{ name: shown(content.from.name), address: 'olga@acme.example' }])
    expect(mail.messageId).toBe(content.messageId)
    expect(mail.date).toEqual(content.date)
    expect(mail.inReplyTo).toBe(THREAD['In-Reply-To'])
    expect(mail.references).toEqual(THREAD.References.split(' '))
    expect(headerNames(taken.raw)).toEqual(HEADER_NAMES[step])
    expect(takesEveryServer(taken.raw)).toEqual([])
  })

  test.each(Object.entries(ODD_TEXTS))('reads the same to a second parser: %s', async (_name, odd) => {
    const content = contentOf(odd, step)
    const { raw } = await composeMessage(content)
    const read = extract(raw.toString('latin1'))
    expect(read.subject).toBe(content.subject)
    expect(trimmed(read.text ?? '')).toBe(trimmed(content.text))
    expect(trimmed(read.html ?? '')).toBe(trimmed(content.html))
    expect(read.attachments ?? []).toEqual([])
  })
})

const PLAIN = [
  'content-transfer-encoding',
  'content-type',
  'date',
  'from',
  'in-reply-to',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'message-id',
  'mime-version',
  'references',
  'subject',
  'to',
]
const MULTIPART = PLAIN.filter((name) => name !== 'content-transfer-encoding')
const HEADER_NAMES = { 'text alone': PLAIN, 'HTML alone': MULTIPART, both: MULTIPART }

const shown = (name: string) => name.replaceAll('=?', '= ?')

function headerNames(raw: Buffer): string[] {
  const head = raw.toString('latin1').split('\r\n\r\n', 1)[0] ?? ''
  return head
    .split(/\r\n(?![ \t])/)
    .map((line) => line.split(':', 1)[0]?.toLowerCase() ?? '')
    .sort()
}

/** What a server that knows only the oldest rules would stumble over. */
function takesEveryServer(raw: Buffer): string[] {
  const text = raw.toString('latin1')
  const lines = text.split('\r\n')
  return [
    ...lines.filter((line) => line.length > 998).map((line) => `a line of ${line.length}`),
    ...(/[^\t\r\n\x20-\x7e]/.test(text) ? ['a byte that is not plain ASCII'] : []),
    ...(/\r(?!\n)|(?<!\r)\n/.test(text) ? ['half a line break'] : []),
  ]
}

/** Its library stops one short of what the standard allows. */
const LENGTH_THAT_THE_SINK_TAKES = 253

describe('addresses', () => {
  const path = createRequire(import.meta.url).resolve('email-addresses/test/tests.xml')
  const suite = [
    ...readFileSync(path, 'utf8').matchAll(/<test id="(\d+)">\s*<address>(.*?)<\/address>[\s\S]*?<category>(\w+)/g),
  ].map(([, id, address, category]) => ({ id, category, address: unescapeXml(address ?? '') }))

  test('the published suite is there', () => {
    expect(suite.length).toBeGreaterThan(150)
  })

  test('whatever we take of it arrives as that one recipient; what the suite calls an error is never taken', async () => {
    const taken: string[] = []
    for (const { address, category } of suite) {
      const reading = readAddress(address)
      if (!reading.ok) {
        await expect(composeMessage(contentOf('Ann', 'text alone', address))).rejects.toThrow()
        continue
      }
      // Spaces and line breaks around an address are not part of it: we take them off, the suite does not.
      if (address === address.trim()) expect([address, category]).not.toContain('ISEMAIL_ERR')
      if (reading.address.length > LENGTH_THAT_THE_SINK_TAKES) continue
      const sent = await send(contentOf('Ann', 'text alone', reading.address))
      expect(sent.taken.to).toEqual([reading.address])
      const [to, ...others] = addresses(sent.mail.to)
      expect([inDns(to?.address ?? ''), ...others]).toEqual([reading.address])
      taken.push(address)
    }
    expect(taken.length).toBeGreaterThan(10)
  })

  test.each([
    'ann@example.com, victim@evil.example',
    'ann@example.com;victim@evil.example',
    'Ann <ann@example.com>',
    'undisclosed: a@b.example, c@d.example;',
    'ann@example.com\r\nRCPT TO:<victim@evil.example>',
    'ann@example.com> SIZE=1\r\nDATA',
    '"ann@evil.example"@example.com',
    'a@b@c.example',
    '',
  ])('nothing but one address is composed: %j', async (address) => {
    await expect(composeMessage(contentOf('Ann', 'text alone', address))).rejects.toThrow('exactly one address')
  })

  test('a domain in any script goes out in the form that DNS has', async () => {
    const { taken, mail } = await send(contentOf('Ann', 'both', 'ann@bücher.example'))
    expect(taken.to).toEqual(['ann@xn--bcher-kva.example'])
    expect(taken.raw.toString('latin1')).toContain('<ann@xn--bcher-kva.example>')
    expect(addresses(mail.to)[0]?.address).toBe('ann@bücher.example')
  })

  test('letters beyond ASCII before the @ go out as they are, to a server that takes them', async () => {
    const { taken, mail } = await send(contentOf('Ann', 'both', 'jürgen@example.com'))
    expect(taken.to).toEqual(['jürgen@example.com'])
    expect(addresses(mail.to)[0]?.address).toBe('jürgen@example.com')
  })
})

test('the same content makes the same bytes, also when it comes back from a database', async () => {
  const content = contentOf(ODD_TEXTS.emoji ?? '', 'both')
  const first = await composeMessage(content)
  // Postgres keeps the keys of JSON in an order of its own.
  const headers = Object.fromEntries(Object.entries(content.headers).toReversed())
  const second = await composeMessage({ ...structuredClone(content), headers })
  expect(first.raw.equals(second.raw)).toBe(true)
})

test.each(Object.entries(ODD_TEXTS))(
  'the bytes are those that nodemailer itself makes of it: %s',
  async (_name, odd) => {
    for (const step of Object.keys(STEPS) as (keyof typeof STEPS)[]) {
      const content = contentOf(odd, step)
      const { raw } = await composeMessage(content)
      const written = raw.toString('latin1')
      const subject = /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(written)?.[1]?.replace(/\r\n/g, '')
      const composed = new MailComposer({
        from: { ...content.from, name: shown(content.from.name) },
        to: { ...content.to, name: shown(content.to.name) },
        ...{ subject, messageId: content.messageId, date: content.date },
        text: content.text.replace(/\r\n?|\n/g, '\r\n'),
        ...(content.html ? { html: content.html.replace(/\r\n?|\n/g, '\r\n') } : {}),
        headers: Object.fromEntries(Object.entries(content.headers).toSorted()),
        baseBoundary: /boundary="--_NmP-(.*)-Part_1"/.exec(written)?.[1],
      } as ConstructorParameters<typeof MailComposer>[0])
      expect(written).toBe((await composed.compile().build()).toString('latin1'))
    }
  },
)

describe('a message with attachments and an invitation', () => {
  const options = (attachments: object[]) =>
    ({
      from: 'olga@acme.example',
      to: 'ann@example.com',
      ...{ subject: 'Invitation', messageId: '<1@acme.example>', date: new Date('2026-11-18T09:30:00.000Z') },
      ...{ text: 'Hello Änn', html: '<p>Hello Änn <img src="cid:logo"></p>', baseBoundary: 'b'.repeat(24) },
      icalEvent: { method: 'REQUEST', content: 'BEGIN:VCALENDAR\r\nSUMMARY:Über\r\nEND:VCALENDAR\r\n' },
      ...{ attachments, disableFileAccess: true, disableUrlAccess: true },
    }) as ConstructorParameters<typeof MailComposer>[0]
  const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 256))

  test('is written as nodemailer itself writes it, and takes every server', async () => {
    const wanted = options([
      { filename: 'Übersicht.pdf', content: bytes },
      { filename: 'logo.png', content: bytes, cid: 'logo' },
      { filename: 'notes.txt', content: 'a line\n.\nFrom here', contentType: 'text/plain' },
    ])
    const raw = writeMime(new MailComposer(wanted).compile())
    expect(raw.toString('latin1')).toBe((await new MailComposer(wanted).compile().build()).toString('latin1'))
    expect(takesEveryServer(raw)).toEqual([])
    const mail = await simpleParser(raw)
    expect(mail.attachments.find(({ filename }) => filename === 'Übersicht.pdf')?.content.equals(bytes)).toBe(true)
  })

  test.each([{ path: '/etc/passwd' }, { href: 'http://169.254.169.254/' }])(
    'reads no file and asks no server: %j',
    (attachment) => {
      expect(() => writeMime(new MailComposer(options([attachment])).compile())).toThrow('not in memory')
    },
  )
})

test.each([
  ['a header that the message itself makes', { headers: { Bcc: 'victim@evil.example' } }],
  ['a header name with a colon', { headers: { 'X: y\r\nBcc': 'victim@evil.example' } }],
  ['a header value with a line break', { headers: { 'X-Note': 'a\r\nBcc: victim@evil.example' } }],
  ['a subject with a line break', { subject: 'a\r\nBcc: victim@evil.example' }],
  ['a name with a line break', { to: { name: 'a\nBcc: victim@evil.example', address: 'ann@example.com' } }],
  ['a Message-ID that is more than an id', { messageId: '<a@b>\r\nBcc: victim@evil.example' }],
])('%s is refused, however it came there', async (_what, wrong) => {
  await expect(composeMessage({ ...contentOf('Ann', 'both'), ...wrong })).rejects.toThrow()
})

function unescapeXml(text: string): string {
  return (
    text
      .replace(/&#x([0-9a-f]+);/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&amp;', '&')
      // The suite writes control characters as their pictures.
      .replace(/[\u2400-\u241f]/g, (picture) => String.fromCharCode(picture.charCodeAt(0) - 0x2400))
  )
}
