import { randomBytes } from 'node:crypto'

export type MailHeaders = ReadonlyMap<string, string>

/** By name in lower case, unfolded; of several with one name, the first. */
export function headersOf(raw: Buffer): MailHeaders {
  return new Map(allHeadersOf(raw).toReversed())
}

/** As they stand there, one after the other. */
export function allHeadersOf(raw: Buffer): [name: string, value: string][] {
  const end = raw.indexOf('\r\n\r\n')
  const block = raw.subarray(0, end < 0 ? raw.length : end).toString('utf8')
  return block
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .flatMap((line): [string, string][] => {
      const at = line.indexOf(':')
      return at > 0 ? [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]] : []
    })
}

/** Everybody whom the headers name. */
export function recipientsOf(headers: MailHeaders): string[] {
  return ['to', 'cc', 'bcc'].flatMap((name) => addressesIn(headers.get(name) ?? ''))
}

export function addressesIn(header: string): string[] {
  return [...header.matchAll(/[^\s<>,;:"()]+@[^\s<>,;:"()]+/g)].map(([address]) => address.toLowerCase())
}

/** As it leaves Gmail: with a Message-ID of Gmail's, and without Bcc. */
export function asSent(raw: Buffer): { raw: Buffer; messageId: string } {
  const messageId = `<CA${randomBytes(18).toString('base64url')}@mail.gmail.com>`
  const end = raw.indexOf('\r\n\r\n')
  const head = raw.subarray(0, end).toString('latin1')
  const kept = head.split(/\r\n(?![ \t])/).filter((line) => !/^(?:message-id|bcc):/i.test(line))
  return {
    messageId,
    raw: Buffer.concat([
      Buffer.from(`${[`Message-ID: ${messageId}`, ...kept].join('\r\n')}`, 'latin1'),
      raw.subarray(end),
    ]),
  }
}

/** Answers and forwards belong to the subject that they began with. */
export function bareSubject(subject: string | undefined): string {
  return (subject ?? '').replace(/^(?:\s*(?:re|fwd?)\s*:)+/i, '').trim()
}
