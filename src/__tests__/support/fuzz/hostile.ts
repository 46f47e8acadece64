import * as fc from 'fast-check'

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth)

/** What a field may be given that was not thought of; each is JSON, once written. */
const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  5e-324,
  '',
  ' ',
  '0',
  '-1',
  'true',
  'null',
  '\u0000',
  'a\u0000b',
  '\u0001\u0008\u001b[2J\u007f\u0085',
  'a\r\nBcc: all@example.com',
  '\ud800',
  '\udc00\ud800',
  'a\ud83d',
  '\uffff\ufffe\ufeff',
  '\u202Eexe.txt\u2066',
  '\u2028\u2029',
  'e\u0301'.repeat(60),
  '👩‍👩‍👧‍👦'.repeat(25),
  'İıſK',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../../../etc/passwd',
  "'; DROP TABLE prospects; --",
  '%00%ff%2e%2e',
  '#{7*7}{{7*7}}',
  '{{firstName | "}}"}}{{#each}}',
  '<script>alert(1)</script><b><i>',
  '=HYPERLINK("http://example.com")',
  '127.0.0.1',
  '0x7f000001',
  '[::ffff:169.254.169.254]',
  'a@b@c',
  '"a b"@example.com',
  'a@xn--zz--.example',
  `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.example`,
  'ann@example.com, bob@example.com',
  '0000-00-00T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-13-01',
  '-271821-04-20',
  'Etc/GMT+99',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'x'.repeat(10_000),
  ' '.repeat(60_000),
  '\\'.repeat(50_000),
  '{{'.repeat(30_000),
  '@'.repeat(50_000),
  '<a '.repeat(20_000),
  'a,'.repeat(30_000),
  'ÿ'.repeat(200_000),
  [],
  {},
  [null],
  [[]],
  { length: 3 },
  { toString: 'x', valueOf: 1 },
  JSON.parse('{"then": 1}'),
  JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": {"prototype": 1}}'),
  Array.from({ length: 12_000 }, (_, index) => index),
  Array.from({ length: 5_000 }, () => ''),
  Array.from({ length: 10_001 }, () => '0199b1f0-0000-7000-8000-000000000000'),
  Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, index])),
  JSON.parse(nested(60, '[', ']')),
  JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`),
]

export const hostileValue = fc.constantFrom(...VALUES)

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  'a.b',
  'id',
  'workspaceId',
  '\u0000',
  '\ud800',
  'x'.repeat(5_000),
]

/** The same with one thing in it that does not belong there: another value, a name too much, or a part that is missing. */
export function spoiled(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(
      valid,
      fc.nat(),
      hostileValue,
      fc.constantFrom(...NAMES),
      fc.constantFrom('value', 'value', 'name', 'missing'),
    )
    .map(([value, at, hostile, name, how]) => spoil(value, at, { hostile, name, how }))
}

type Spoiling = { hostile: unknown; name: string; how: string }

function spoil(value: unknown, at: number, spoiling: Spoiling): unknown {
  const { hostile, name, how } = spoiling
  if (typeof value !== 'object' || value === null) return hostile
  if (Array.isArray(value)) {
    if (value.length === 0) return [hostile]
    const chosen = at % value.length
    return value.map((item, index) => (index === chosen ? spoil(item, Math.floor(at / value.length), spoiling) : item))
  }
  const entries = Object.entries(value)
  // As own fields, whatever they are called.
  if (how === 'name' || entries.length === 0) return Object.fromEntries([...entries, [name, hostile]])
  const chosen = at % entries.length
  if (how === 'missing') return Object.fromEntries(entries.filter((_, index) => index !== chosen))
  return Object.fromEntries(
    entries.map(([key, inner], index) => [
      key,
      index === chosen ? spoil(inner, Math.floor(at / entries.length), spoiling) : inner,
    ]),
  )
}

export type WrittenBody = string | Uint8Array

/** What is sent where JSON is expected. */
export const hostileBody: fc.Arbitrary<WrittenBody> = fc.oneof(
  fc.constantFrom<WrittenBody>(
    '',
    ' ',
    'null',
    '[]',
    '"text"',
    '7',
    '{',
    '{"a":1',
    '{"a":1}}',
    '{"a":1,"a":2}',
    "{'a':1}",
    '{"__proto__":{"x":1}}',
    '{"a":1e999}',
    `{"a":${'9'.repeat(5_000)}}`,
    `{"${'k'.repeat(60_000)}":1}`,
    '{"a":"\\ud800"}',
    '{"a":"\\u0000"}',
    '{"a":"\u0000"}',
    '\ufeff{}',
    '{}\n{}',
    nested(30_000, '[', ']'),
    nested(63, '[', ']'),
    '{"a":'.repeat(30_000),
    `[${'1,'.repeat(19_000)}1]`,
    `[${'1,'.repeat(30_000)}1]`,
    `{"a":"${'x'.repeat(6 * 1024 * 1024)}"}`,
    new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]),
    new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
    new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d]),
    new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),
    new Uint8Array(5_000),
  ),
  fc.json({ maxDepth: 5 }),
  fc.uint8Array({ maxLength: 300 }),
)

type Header = [name: string, value: string]

/** As bytes on the wire: what no client would let out. */
export const hostileHeaders: fc.Arbitrary<Header[]> = fc.array(
  fc.oneof(
    fc.constantFrom<Header>(
      ['Content-Type', 'text/plain'],
      ['Content-Type', 'application/json; charset=utf-16'],
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['Content-Type', 'multipart/form-data'],
      ['Content-Type', 'multipart/form-data; boundary='],
      ['Content-Type', `multipart/form-data; boundary=${'-'.repeat(5_000)}`],
      ['Content-Type', 'application/json, text/html'],
      ['Content-Type', '\u00e9'],
      ['Content-Encoding', 'gzip'],
      ['Accept', 'application/x-ndjson'],
      ['Accept', 'application/x-ndjson;q=0, */*'],
      ['Accept', '\u00ff'.repeat(300)],
      ['Accept-Encoding', 'gzip;q=nonsense, br'],
      ['Accept-Language', 'x'.repeat(3_000)],
      ['Origin', 'null'],
      ['Origin', 'http://evil.example'],
      ['Sec-Fetch-Site', 'cross-site'],
      ['Referer', 'http://localhost\u0001/'],
      ['X-Workspace-Id', '__proto__'],
      ['X-Workspace-Id', "' OR true --"],
      ['X-Workspace-Id', '0199b1f0-0000-7000-8000-000000000000'],
      ['X-Request-Id', 'a b\u00ff'],
      ['X-Request-Id', 'x'.repeat(500)],
      ['X-Forwarded-For', '::ffff:1.2.3.4, garbage, 999.999.999.999'],
      ['X-Forwarded-Host', 'evil.example'],
      ['X-Forwarded-Proto', 'javascript'],
      ['X-HTTP-Method-Override', 'DELETE'],
      ['X-Middleware-Subrequest', 'proxy:proxy:proxy:proxy:proxy'],
      ['X-Invoke-Path', '/api/health'],
      ['X-Matched-Path', '/api/health'],
      ['Next-Action', '00aa'],
      ['RSC', '1'],
      ['Next-Router-State-Tree', '%5B%22'],
      ['Authorization', 'Bearer '],
      ['Authorization', `Basic ${'A'.repeat(4_000)}`],
      ['Cookie', '='.repeat(2_000)],
      ['Cookie', 'better-auth.session_token=%ff%00; __Secure-better-auth.session_token=x.y'],
      ['Idempotency-Key', ''],
      ['Idempotency-Key', 'a'],
      ['Idempotency-Key', 'the same again'],
      ['Idempotency-Key', 'k'.repeat(2_000)],
      ['Idempotency-Key', '\u00e9\u00ff'],
      ['If-Match', '*'],
      ['If-Match', '"1"'],
      ['If-Match', 'W/"9999999999999999999999"'],
      ['If-Match', '"-1", "x"'],
      ['If-Match', '"'],
      ['If-None-Match', '*'],
      ['If-Modified-Since', 'never'],
      ['Range', 'bytes=0-0,-1,5-2'],
      ['Expect', '100-continue'],
      ['Connection', 'Upgrade, close'],
      ['Upgrade', 'h2c'],
      ['TE', 'trailers'],
      ['Host', 'evil.example:99999'],
      ['Long', 'y'.repeat(20_000)],
      ['Control', 'a\u0001b'],
    ),
    fc.tuple(fc.constantFrom('If-Match', 'Idempotency-Key', 'X-Workspace-Id', 'Accept', 'Content-Type'), latinText()),
  ),
  { minLength: 1, maxLength: 3 },
)

function latinText(): fc.Arbitrary<string> {
  return fc.string({
    maxLength: 80,
    unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
  })
}

/** In place of an id in an address; written as it is. */
export const hostileSegment = fc.constantFrom(
  'x',
  '%00',
  '%ff',
  '%',
  '%2e%2e',
  '%2F',
  '..',
  '-1',
  '1.5',
  '1e9',
  '99999999999999999999',
  '__proto__',
  'constructor',
  '0199b1f0-0000-7000-8000-00000000000G',
  '%7Bid%7D',
  '[id]',
  '%F0%9F%92%A9',
  '%ED%A0%80',
  ';a=b',
  'x'.repeat(3_000),
)
