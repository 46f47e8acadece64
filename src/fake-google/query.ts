import { apiError, Refusal } from './answers.ts'
import { addressesIn } from './mail-text.ts'
import type { Message } from './state.ts'

type Test = (message: Message) => boolean

/** The operators of a search that Google's documentation names, as far as they are played here. */
const OPERATORS: Readonly<Record<string, (value: string) => Test>> = {
  in: (value) => {
    if (value === 'anywhere') return () => true
    if (['sent', 'inbox', 'trash', 'spam'].includes(value))
      return ({ labelIds }) => labelIds.includes(value.toUpperCase())
    throw unknown(`in:${value}`)
  },
  to:
    (value) =>
    ({ headers }) =>
      ['to', 'cc', 'bcc'].some((name) => addressesIn(headers.get(name) ?? '').includes(value.toLowerCase())),
  from:
    (value) =>
    ({ headers }) =>
      addressesIn(headers.get('from') ?? '').includes(value.toLowerCase()),
  subject:
    (value) =>
    ({ headers }) =>
      (headers.get('subject') ?? '').toLowerCase().includes(value.toLowerCase()),
  rfc822msgid:
    (value) =>
    ({ headers }) =>
      (headers.get('message-id') ?? '').replace(/^<|>$/g, '') === value.replace(/^<|>$/g, ''),
  after: (value) => {
    const ms = momentOf(value)
    return ({ at }) => at >= ms
  },
  before: (value) => {
    const ms = momentOf(value)
    return ({ at }) => at < ms
  },
}

/** Every word of it has to hold. */
export function testFor(q: string): Test {
  const tests = q
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => {
      const [, name = '', value = ''] = /^([a-z0-9]+):(.+)$/.exec(word) ?? []
      const operator = OPERATORS[name]
      if (!operator) throw unknown(word)
      return operator(value)
    })
  return (message) => tests.every((test) => test(message))
}

/** Seconds, or a date. */
function momentOf(value: string): number {
  if (/^\d{9,11}$/.test(value)) return Number(value) * 1_000
  const ms = /^\d{4}\/\d\d?\/\d\d?$/.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(ms)) throw unknown(value)
  return ms
}

/** Gmail would take it for a word of the text, and find nothing: a mistake that nobody would see. */
function unknown(word: string): Refusal {
  return new Refusal(apiError(400, 'invalidArgument', `Invalid query: ${word} is no operator that is documented`))
}
