import { lacksOf } from './spf.ts'

/** `unknown`: DNS has not been asked yet; `unanswered`: it was, and no name server answered. */
export const FINDING_STATES = ['unknown', 'right', 'missing', 'wrong', 'unanswered'] as const

/** What was found of one record. `found` is what stands in DNS. */
export type Finding = { state: (typeof FINDING_STATES)[number]; sentence: string; found: string | null }

export type Findings = { dkim: Finding; spf: Finding; dmarc: Finding }

/** The TXT records of a name; null where no name server answered. */
export type Answer = readonly string[] | null

const unanswered: Finding = {
  state: 'unanswered',
  sentence: 'The name server did not answer. Try again in a few minutes.',
  found: null,
}

const right = (found: string, sentence: string): Finding => ({ state: 'right', sentence, found })
const wrong = (found: string, sentence: string): Finding => ({ state: 'wrong', sentence, found })
const missing = (sentence: string): Finding => ({ state: 'missing', sentence, found: null })

export function judgeDkim(name: string, answer: Answer, publicKey: string): Finding {
  if (answer === null) return unanswered
  const keys = answer.filter((record) => /(^|;)\s*p\s*=/.test(record))
  const [key] = keys
  if (key === undefined)
    return missing(
      `There is no such record at ${name} yet. After it was added it can take some hours until it is seen everywhere.`,
    )
  if (keys.length > 1) return wrong(key, `There are several records at ${name}; leave only ours.`)
  const tags = tagsOf(key)
  if (tags.get('p') !== publicKey)
    return wrong(key, `The record at ${name} holds another key; copy the whole value again.`)
  if ((tags.get('v') ?? 'DKIM1') !== 'DKIM1' || (tags.get('k') ?? 'rsa') !== 'rsa')
    return wrong(key, `The record at ${name} begins otherwise; copy the whole value again.`)
  return right(key, 'Receivers can check our signature.')
}

export function judgeSpf(domain: string, answer: Answer, mechanisms: readonly string[]): Finding {
  if (answer === null) return unanswered
  const records = answer.filter((record) => /^v=spf1(\s|$)/i.test(record))
  const [record] = records
  if (record === undefined) return missing(`${domain} has no SPF record: receivers cannot tell who may send for it.`)
  if (records.length > 1)
    return wrong(records.join('\n'), 'There are several SPF records, so receivers follow none. Join them into one.')
  const lacks = lacksOf(record, mechanisms)
  if (lacks.length > 0)
    return wrong(record, `It does not name ${lacks.join(' and ')}, which your mailboxes send through.`)
  return right(record, 'It names the servers that your mailboxes send through.')
}

export function judgeDmarc(domain: string, answer: Answer): Finding {
  if (answer === null) return unanswered
  const records = answer.filter((record) => /^v=DMARC1\s*(;|$)/i.test(record))
  const [record] = records
  if (record === undefined)
    return missing(`${domain} has no DMARC record. Gmail and Yahoo want one of everybody who sends many emails.`)
  if (records.length > 1) return wrong(records.join('\n'), 'There are several DMARC records, so receivers follow none.')
  const policy = tagsOf(record).get('p')?.toLowerCase() ?? ''
  if (!['none', 'quarantine', 'reject'].includes(policy))
    return wrong(record, 'It names no policy: p has to be none, quarantine or reject.')
  return right(record, `Its policy is “${policy}”.`)
}

function tagsOf(record: string): Map<string, string> {
  return new Map(
    record.split(';').flatMap((tag) => {
      const at = tag.indexOf('=')
      return at < 0 ? [] : [[tag.slice(0, at).trim(), tag.slice(at + 1).replace(/\s/g, '')] as const]
    }),
  )
}
