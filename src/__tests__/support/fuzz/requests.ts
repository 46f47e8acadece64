import * as fc from 'fast-check'
import type { z } from 'zod'
import { importOptions } from '#lib/contract/import.ts'
import type { Operation } from '#lib/contract/operation.ts'
import { importForm } from '#tests/support/data/import-form.ts'
import { HOSTILE_FILES } from '#tests/support/texts/hostile-files.ts'
import { HOSTILE_TEXTS } from '#tests/support/texts/hostile-texts.ts'
import { type Hints, inputsOf } from './from-schema.ts'
import { graphs } from './graphs.ts'
import { hostileBody, hostileHeaders, hostileSegment, hostileValue, spoiled, type WrittenBody } from './hostile.ts'

export const CALLERS = ['owner', 'admin', 'member', 'stranger', 'nobody'] as const

export type Caller = (typeof CALLERS)[number]

/** A request as it is made up; ids stand in it as tokens, since what they name comes and goes while requests run. */
export type Ask = {
  operation: Operation
  caller: Caller
  method: string
  /** With its query. */
  address: string
  headers: [name: string, value: string][]
  body: WrittenBody | undefined
  how: 'length' | 'chunks' | 'cut-short'
}

/** Things of the workspaces that ids may name, by the folder of the API in which they live. */
const KINDS = [
  ...[
    'campaigns',
    'domains',
    'enrolments',
    'imports',
    'invitations',
    'lists',
    'mailboxes',
    'members',
    'outbox',
    'people',
  ],
  ...[
    'actions',
    'prospects',
    'segments',
    'sequences',
    'suppressions',
    'templates',
    'webhook-deliveries',
    'webhooks',
    'workspaces',
  ],
] as const

export type Kind = (typeof KINDS)[number]

export const KIND_OF_FIELD: Readonly<Record<string, Kind>> = {
  actorId: 'people',
  campaignId: 'campaigns',
  emailId: 'outbox',
  enrolmentIds: 'enrolments',
  exceptIds: 'prospects',
  ids: 'outbox',
  importId: 'imports',
  listId: 'lists',
  listIds: 'lists',
  loserId: 'prospects',
  mailboxId: 'mailboxes',
  mailboxIds: 'mailboxes',
  prospectId: 'prospects',
  prospectIds: 'prospects',
  segmentId: 'segments',
  sequenceId: 'sequences',
  takenOverBy: 'mailboxes',
  untilId: 'prospects',
  upToId: 'prospects',
  workspaceId: 'workspaces',
}

const TOKEN = /id\.([a-z-]+)\.(\d+)\.(own|other)\./g

export type Resolve = (kind: Kind, index: number, whose: 'own' | 'other') => string

/** The text with the ids of today in the places of its tokens. */
export function withIds(text: string, resolve: Resolve): string {
  return text.replace(TOKEN, (_, kind: string, index: string, whose: string) =>
    resolve(kind as Kind, Number(index), whose === 'own' ? 'own' : 'other'),
  )
}

/** A token for an id of that kind, mostly one of the caller's own. */
export function idOf(kind: Kind | undefined): fc.Arbitrary<string> {
  const some = kind ? fc.constant(kind) : fc.constantFrom(...KINDS)
  const index = fc.nat({ max: 11 })
  return fc.oneof(
    { weight: 8, arbitrary: fc.tuple(some, index).map(([of, at]) => `id.${of}.${at}.own.`) },
    { weight: 2, arbitrary: fc.tuple(some, index).map(([of, at]) => `id.${of}.${at}.other.`) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...KINDS), index).map(([of, at]) => `id.${of}.${at}.own.`) },
    { weight: 1, arbitrary: fc.uuid({ version: 7 }) },
  )
}

const address = fc.oneof(
  fc.constantFrom('olga@example.com', 'max@example.com'),
  fc.nat({ max: 60 }).map((n) => `person${n}@example.com`),
  fc.tuple(fc.emailAddress(), fc.boolean()).map(([one, isLoud]) => (isLoud ? one.toUpperCase() : one)),
)

const authorText = fc.oneof(
  fc.constantFrom(
    ...[
      'Hello {{firstName}}',
      'Hello {{firstName | "you"}}',
      '{{company}} {{wishes}} {{email}}',
      '<p>Hi <b>{{firstName}}</b></p>',
    ],
    ...['<a href="https://example.com/?q={{company}}">x</a>', '<a href="//{{company}}/">x</a>', 'A word.', ''],
  ),
  fc.string({ maxLength: 80, unit: 'grapheme' }),
  { weight: 1, arbitrary: fc.constantFrom(...Object.values(HOSTILE_TEXTS)) },
)

/** Where mailboxes are tried: at the catcher, where nothing listens, where nobody may look, and nowhere. */
const hosts = fc.constantFrom(
  '127.0.0.1',
  'localhost',
  '10.0.0.1',
  '169.254.169.254',
  '::1',
  '0.0.0.0',
  'nothing.invalid',
)

const NEVER_A_PORT_OF_OTHERS = 9

/** Names that the schema takes; some are known to every object of the language. */
const fieldNames = fc.constantFrom('note', 'firstName', 'constructor', 'toString', 'valueOf')

export function hintsWith(smtpPort: number): Hints {
  const byName: Record<string, fc.Arbitrary<unknown>> = {
    email: address,
    address,
    to: address,
    value: fc.oneof(address, fc.domain()),
    values: fc.array(fc.oneof(address, fc.domain()), { minLength: 1, maxLength: 5 }),
    domain: fc.oneof(
      fc.domain(),
      fc.constantFrom('acme.example', 'xn--bcher-kva.example', 'bücher.example', 'localhost'),
    ),
    timeZone: fc.constantFrom('UTC', 'UTC', 'UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'utc'),
    subject: authorText.map((text) => text.slice(0, 300).replace(/[\r\n]/g, ' ')),
    threadSubject: authorText.map((text) => text.slice(0, 300).replace(/[\r\n]/g, ' ')),
    bodyText: authorText.map((text) => text.slice(0, 100_000)),
    bodyHtml: authorText,
    host: hosts,
    port: fc.constantFrom(smtpPort, NEVER_A_PORT_OF_OTHERS),
    has: fieldNames,
    lacks: fieldNames,
    daysOff: fc.array(fc.constantFrom('2026-12-25', '2027-01-01', '2027-05-01', '9999-12-31'), { maxLength: 4 }),
    password: fc.constantFrom('correct horse battery', 'wrong', 'longer than ten'),
    preview: fc.constantFrom('true', 'false', true, false),
    country: fc.constantFrom('DE', 'US', 'XX'),
    region: fc.constantFrom('BY', 'CA'),
    cursor: fc.constantFrom('2026-11-20~5', '9999-99-99~1', '0'),
    stepNumber: fc.constantFrom(1, 1, 1, 2, 2_147_483_647),
    dryRun: fc.constantFrom('true', 'false'),
    version: fc.constantFrom('1', '2', '3', '1000000'),
    graph: graphs,
    happens: fc.array(fc.constantFrom('b', 'b1', 'n3', '__proto__'), { maxLength: 4 }),
  }
  return (name, schema) => {
    if (schema.format === 'uuid') return idOf(KIND_OF_FIELD[name])
    return schema.format || !Object.hasOwn(byName, name) ? undefined : byName[name]
  }
}

/** Which requests are made of an operation: half as its schemas say, half as nobody should. */
export function requestsOf(operation: Operation, smtpPort: number): fc.Arbitrary<Ask> {
  const hints = hintsWith(smtpPort)
  const valid = (schema: z.ZodType | undefined) => (schema ? inputsOf(schema, hints) : fc.constant({}))
  const addressed = fc.tuple(pathOf(operation), queryOf(valid(operation.query))).map(([path, query]) => path + query)
  const body = operation.upload ? uploads(hints) : jsonOf(operation.method, valid(operation.body))
  const plain = {
    headers: fc.constant<Ask['headers']>([]),
    address: addressed,
    body,
    how: fc.constant('length' as const),
  }
  const caller = fc.oneof(
    { weight: 6, arbitrary: fc.constant<Caller>('owner') },
    { weight: 4, arbitrary: fc.constantFrom(...CALLERS) },
  )
  const ask = (parts: Partial<Record<keyof typeof plain, fc.Arbitrary<unknown>>>) =>
    fc.record({ operation: fc.constant(operation), method: fc.constant(operation.method), caller, ...plain, ...parts })
  const spoiledBody = operation.upload
    ? spoiledUploads(hints)
    : jsonOf('POST', fc.oneof(spoiled(valid(operation.body)), hostileValue))
  return fc
    .oneof(
      { weight: 10, arbitrary: ask({}) },
      { weight: 5, arbitrary: ask({ body: spoiledBody }) },
      { weight: 2, arbitrary: ask({ body: hostileBody.map((text) => ({ text, type: 'application/json' })) }) },
      { weight: 2, arbitrary: ask({ headers: hostileHeaders }) },
      {
        weight: 2,
        arbitrary: ask({
          address: fc
            .tuple(hostilePathOf(operation), queryOf(fc.oneof(spoiled(valid(operation.query)), hostileValue)))
            .map(([path, query]) => path + query),
        }),
      },
      { weight: 1, arbitrary: ask({ how: fc.constantFrom('chunks', 'cut-short') }) },
    )
    .map(finished)
}

type Typed = { text: WrittenBody; type: string } | undefined

function finished({ body, headers, how, ...rest }: Record<string, unknown>): Ask {
  const { text, type } = (body as Typed) ?? { text: undefined, type: undefined }
  const own = headers as Ask['headers']
  const said = own.some(([name]) => name === 'Content-Type')
  return {
    ...(rest as Omit<Ask, 'body' | 'headers' | 'how'>),
    body: text,
    headers: said || !type ? own : [['Content-Type', type], ...own],
    // Who has said all and hangs up does not wait for an answer.
    how: text === undefined ? 'length' : (how as Ask['how']),
  }
}

function jsonOf(method: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Typed> {
  if (method === 'GET') return fc.constant(undefined)
  return value.map((given) => ({ text: JSON.stringify(given), type: 'application/json' }))
}

function pathOf({ path }: Operation): fc.Arbitrary<string> {
  const parts = path.split('/').map((part, index, all) => {
    if (part === '[id]' || part.endsWith('Id]')) return idOf(kindOf(all.slice(0, index)))
    return part.startsWith('[') ? fc.constantFrom('1', '2', '7') : fc.constant(part)
  })
  return fc.tuple(...parts).map((all) => all.join('/'))
}

function hostilePathOf({ path }: Operation): fc.Arbitrary<string> {
  const parts = path.split('/').map((part) => (part.startsWith('[') ? hostileSegment : fc.constant(part)))
  return fc
    .tuple(fc.tuple(...parts), fc.constantFrom('', '', '', '/', '//', '/%2e%2e', '?', '#x', '?%', '?a=1&a=2'))
    .map(([all, end]) => all.join('/') + end)
}

/** What an id in an address names, by the parts before it. */
export function kindOf(parts: readonly string[]): Kind | undefined {
  const name = parts.at(-1) === 'import' ? 'imports' : parts.at(-1)
  return KINDS.find((kind) => kind === name)
}

function queryOf(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return value.map((given) => {
    const entries = Object.entries(typeof given === 'object' && given !== null ? given : { search: given })
    const written = entries.map(
      ([name, one]) => `${percent(name)}=${percent(typeof one === 'string' ? one : JSON.stringify(one))}`,
    )
    // Node reads 16 kB of head, and answers more by itself.
    return written.length > 0 ? `?${written.join('&').slice(0, 12_000)}` : ''
  })
}

/** Lone surrogates are written as they would be in UTF-8, if they could. */
function percent(text = ''): string {
  return text
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '%ED%A0%80')
    .replace(/[^\w.~-]/gu, (sign) => (sign === '%' ? '%' : encodeURIComponent(sign)))
}

const files = fc.oneof(
  fc.constantFrom(...HOSTILE_FILES.filter(({ bytes }) => bytes.length < 500_000).map(({ bytes }) => bytes)),
  fc
    .array(address, { maxLength: 20 })
    .map((all) => Buffer.from(`email,name\n${all.map((one) => `${one},Ann\n`).join('')}`)),
  fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
)

const COLUMNS = fc.constantFrom(
  [{ to: 'email' }, { to: 'firstName' }, { to: 'ignore' }],
  [{ to: 'email' }, { to: 'custom', name: 'note', type: 'text' }],
)

function uploads(hints: Hints): fc.Arbitrary<Typed> {
  const options = inputsOf(importOptions, (name, schema) => (name === 'columns' ? COLUMNS : hints(name, schema)))
  return fc.tuple(files, options).map(([file, given]) => formOf(file, given))
}

function spoiledUploads(hints: Hints): fc.Arbitrary<Typed> {
  const options = spoiled(inputsOf(importOptions, hints))
  const parts = fc.constantFrom<Record<string, string>>(
    {},
    { options: '{' },
    { file: 'x' },
    { __proto: 'x' },
    { '"\r\n': '\u0000' },
  )
  return fc.oneof(
    fc.tuple(files, options, parts).map(([file, given, more]) => formOf(file, given, more)),
    fc.tuple(files, options, fc.nat()).map(([file, given, at]) => {
      const { text, type } = formOf(file, given)
      return { text: text.slice(0, at % text.length), type }
    }),
    hostileBody.map((text) => ({ text, type: 'multipart/form-data; boundary=----a-boundary' })),
  )
}

function formOf(
  file: Buffer,
  options: unknown,
  parts: Record<string, string> = {},
): { text: Uint8Array; type: string } {
  const { file: text, headers } = importForm(file, options, parts)
  return { text, type: headers['content-type'] ?? '' }
}
