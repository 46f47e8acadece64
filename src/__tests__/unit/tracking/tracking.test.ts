import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newId } from '#lib/platform/id.ts'
import { peoples } from '#lib/tracking/judge-hits.ts'
import { isMachine } from '#lib/tracking/machines.ts'
import { trackHtml } from '#lib/tracking/track-html.ts'
import {
  hideTracking,
  isSignedBy,
  readTracking,
  signTracking,
  TARGET_LENGTH_MAX,
  trackableTarget,
} from '#lib/tracking/tracking-link.ts'

const KEY = Buffer.alloc(32, 7)
const APP = 'https://mail.acme.test'
const [workspaceId, emailId] = [newId(), newId()]
const track = (html: string, how: { opens?: boolean; clicks?: boolean } = { clicks: true }) =>
  trackHtml(html, { key: KEY, workspaceId, emailId, appUrl: APP, opens: false, clicks: false, ...how })
const tokensIn = (html: string) => [...html.matchAll(/\/t\/([\w-]+)/g)].map((match) => match[1] ?? '')
const targetsIn = (html: string) => tokensIn(html).map((token) => readTracking(token)?.target)

describe('a token', () => {
  test('says what was signed, and nothing else is taken for it', () => {
    const href = fc.webUrl({ withQueryParameters: true, withFragments: true })
    fc.assert(
      fc.property(href, fc.integer({ min: 1, max: 65_535 }), fc.nat(), (url, link, at) => {
        const target = trackableTarget(url) ?? ''
        const token = signTracking(KEY, { workspaceId, emailId, link, target })
        expect(readTracking(token)).toEqual({ workspaceId, emailId, link, target })
        expect(isSignedBy(KEY, token)).toBe(true)
        expect(isSignedBy(Buffer.alloc(32, 8), token)).toBe(false)
        const spoiled = Buffer.from(token, 'base64url')
        spoiled[at % spoiled.length] = (spoiled[at % spoiled.length] ?? 0) ^ 1
        expect(isSignedBy(KEY, spoiled.toString('base64url'))).toBe(false)
      }),
    )
  })

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'mailto:a@b.example',
    '//evil.example/',
    '/u/x',
    'ftp://a.example/',
  ])('never leads to %s, though it were signed', (target) => {
    expect(trackableTarget(target)).toBeUndefined()
    expect(readTracking(signTracking(KEY, { workspaceId, emailId, link: 1, target }))).toBeUndefined()
  })

  test('of anything at all is read without a word', () => {
    fc.assert(fc.property(fc.string(), (text) => readTracking(text) === undefined || text.length > 60))
    expect(readTracking('x'.repeat(1_000_000))).toBeUndefined()
  })
})

describe('the HTML of an email', () => {
  test('has its links led past us, and only those', () => {
    const html = [
      `<p><a class="b" href="https://a.example/?x=1&amp;y=2" title="to > it">One</a>`,
      `<a href='https://b.example/path#part'><b>Two</b></a><a href="https://a.example/?x=1&amp;y=2">One again</a>`,
      `<a href="${APP}/u/abc">here</a><a href="mailto:a@b.example">mail</a><a href="tel:+491">call</a><a href="#top">up</a>`,
      `<!--[if mso]><a href="https://c.example/">c</a><![endif]--><img src="https://d.example/x.png">`,
      `<a href="https://e.example/">https://e.example/</a><a href=https://f.example/>bare</a></p>`,
    ].join('\n')
    const tracked = track(html)
    expect(targetsIn(tracked)).toEqual([
      'https://a.example/?x=1&y=2',
      'https://b.example/path#part',
      'https://a.example/?x=1&y=2',
    ])
    const [first, , again] = tokensIn(tracked)
    expect(again).toBe(first)
    expect(hideTracking(tracked)).toBe(html)
    expect(track(html)).toBe(tracked)
  })

  test('without a link, or without the wish, stays byte for byte what it was', () => {
    const html = '<p>Hello <b>you</b>, see <a href="https://a.example/">this</a></p>'
    expect(track(html, {})).toBe(html)
    expect(track('<p>a < b & c</p>')).toBe('<p>a < b & c</p>')
    expect(track('')).toBe('')
  })

  test('gets its picture before the end of the body, and nobody who looks at it later sees it', () => {
    const html = '<html><body><p><a href="https://a.example/">x</a></p></body></html>'
    const tracked = track(html, { opens: true, clicks: true })
    expect(tracked).toMatch(/<img src="https:\/\/mail\.acme\.test\/t\/[\w-]+" alt="" [^>]+><\/body><\/html>$/)
    expect(targetsIn(tracked)).toEqual(['https://a.example/', null])
    expect(hideTracking(tracked)).toBe(html)
    expect(track('<p>x</p>', { opens: true })).toMatch(/^<p>x<\/p><img /)
  })

  test('of a link that is too long, or one of too many, is left as it is', () => {
    const long = `<a href="https://a.example/${'x'.repeat(TARGET_LENGTH_MAX)}">x</a>`
    expect(track(long)).toBe(long)
    const many = Array.from({ length: 600 }, (_, n) => `<a href="https://a.example/${n}">x</a>`).join('')
    expect(tokensIn(track(many))).toHaveLength(500)
  })

  test('whatever it holds, loses nothing', () => {
    const piece = fc.constantFrom(
      ...['<a href="https://a.example/">', '</a>', "<a href='", '"', "'", '>', '<', '<!--', '-->', '<body>', '</body>'],
      ...['&amp;', '&', 'href="https://b.example/?a&b"', '<script>', '</script>', 'text ', '\n'],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const html = pieces.join('')
        const isSame = hideTracking(track(html)).replaceAll('&amp;', '&') === html.replaceAll('&amp;', '&')
        expect([html, isSame]).toEqual([html, true])
      }),
      { numRuns: 500 },
    )
  })
})

describe('who looked', () => {
  const sent = new Date('2026-11-19T09:00:00Z')
  const after = (seconds: number) => new Date(sent.getTime() + seconds * 1_000)
  const links = (looks: [link: number, seconds: number][], handedOver: Date | null = sent) =>
    peoples(
      looks.map(([link, seconds]) => ({ link, at: after(seconds) })),
      handedOver,
    ).map(({ link }) => link)

  test('within ten seconds of the hand-over is a machine, and nobody before it', () => {
    expect(
      links([
        [0, 3],
        [1, 9],
      ]),
    ).toEqual([])
    expect(links([[0, 11]])).toEqual([0])
    expect(links([[0, 60]], null)).toEqual([])
  })

  test('who follows two links within a second is a machine, with the picture it loaded; a person after it is one', () => {
    expect(
      links([
        [0, 60],
        [1, 60.4],
        [2, 61],
      ]),
    ).toEqual([])
    expect(
      links([
        [1, 60],
        [2, 63],
      ]).toSorted(),
    ).toEqual([1, 2])
    expect(
      links([
        [1, 60],
        [2, 60.5],
        [1, 300],
      ]),
    ).toEqual([1])
  })
})

describe('a program', () => {
  const says = (headers: Record<string, string>, method = 'GET') => isMachine(method, new Headers(headers))
  const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'

  test.each([
    ['nothing at all', {}],
    ['that it is a bot', { 'user-agent': 'Googlebot/2.1' }],
    ['that it is a library', { 'user-agent': 'python-requests/2.31' }],
    ['only the first word of every browser', { 'user-agent': 'Mozilla/5.0' }],
    ['that it loads ahead', { 'user-agent': CHROME, 'sec-purpose': 'prefetch;prerender' }],
  ])('that says %s is one', (_, headers) => {
    expect(says(headers)).toBe(true)
  })

  test.each([
    CHROME,
    'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    'Thunderbird/128',
  ])('%s is taken for a person’s, when it asks for the page', (agent) => {
    expect([says({ 'user-agent': agent }), says({ 'user-agent': agent }, 'HEAD')]).toEqual([false, true])
  })
})
