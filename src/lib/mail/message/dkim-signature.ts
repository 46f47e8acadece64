import { createHash, sign } from 'node:crypto'
import type { DkimKey } from '#lib/mail/domains/dkim-keys.ts'

/** Those that RFC 6376 recommends, and the two of unsubscribing, which nobody on the way may change. */
const SIGNED = [
  ...['from', 'sender', 'reply-to', 'subject', 'date', 'message-id', 'to', 'cc', 'mime-version', 'content-type'],
  ...['content-transfer-encoding', 'in-reply-to', 'references', 'list-unsubscribe', 'list-unsubscribe-post'],
]

/** Named once more than they are there (RFC 6376, 8.15): a second one that is added on the way breaks the signature. */
const OVERSIGNED = ['from', 'reply-to', 'subject', 'date', 'to', 'cc', 'list-unsubscribe', 'list-unsubscribe-post']

const LINE_LENGTH = 72

/**
 * Puts a signature before a message (RFC 6376, relaxed/relaxed, rsa-sha256). Written by hand, since nodemailer's signer
 * names every header at most once, and one that is not there never: who adds a second From would be believed. RSA runs
 * outside the event loop.
 */
export async function signMessage(message: Buffer, { domain, selector, privateKey }: DkimKey): Promise<Buffer> {
  const text = message.toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  const headers = new Map(
    text
      .slice(0, end)
      .split(/\r\n(?![ \t])/)
      .map(nameAndValue),
  )
  const names = [...SIGNED.filter((name) => headers.has(name)), ...OVERSIGNED]
  const bodyHash = createHash('sha256')
    .update(relaxedBody(text.slice(end + 4)), 'latin1')
    .digest('base64')
  const unsigned = [
    'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; q=dns/txt;',
    ` d=${domain};`,
    ` s=${selector};`,
    ` bh=${bodyHash};`,
    ` h=${folded(names.join(':').match(/[^:]+:?/g) ?? [])};`,
    ' b=',
  ].join('\r\n')
  const signed = [
    ...SIGNED.flatMap((name) => (headers.has(name) ? [`${name}:${headers.get(name)}\r\n`] : [])),
    `dkim-signature:${nameAndValue(unsigned)[1]}`,
  ].join('')
  const signature = await rsa(Buffer.from(signed, 'latin1'), privateKey).catch((error: unknown) => {
    throw new Error(`the DKIM key of ${domain} cannot sign`, { cause: error })
  })
  const lines = folded(signature.toString('base64').match(/.{1,64}/g) ?? [])
  return Buffer.concat([Buffer.from(`${unsigned}${lines}\r\n`, 'latin1'), message])
}

function rsa(data: Buffer, privateKey: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign('sha256', data, privateKey, (error, signature) => (error ? reject(error) : resolve(signature)))
  })
}

/** As relaxed canonicalisation has them. */
function nameAndValue(header: string): [string, string] {
  const colon = header.indexOf(':')
  const value = header
    .slice(colon + 1)
    .replaceAll('\r\n', '')
    .replace(/[ \t]+/g, ' ')
  return [header.slice(0, colon).trim().toLowerCase(), value.replace(/^ | $/g, '')]
}

function relaxedBody(body: string): string {
  const lines = body.replace(/[ \t]+/g, ' ').replaceAll(' \r\n', '\r\n')
  const trimmed = withoutEmptyLinesAtTheEnd(lines.endsWith(' ') ? lines.slice(0, -1) : lines)
  return trimmed === '' ? '' : `${trimmed}\r\n`
}

/** Not by an expression: it would try anew at every empty line of a long text. */
function withoutEmptyLinesAtTheEnd(text: string): string {
  let end = text.length
  while (text.startsWith('\r\n', end - 2)) end -= 2
  return text.slice(0, end)
}

function folded(pieces: readonly string[]): string {
  let length = 0
  return pieces
    .map((piece) => {
      const isNewLine = length + piece.length > LINE_LENGTH
      length = isNewLine ? piece.length : length + piece.length
      return isNewLine ? `\r\n ${piece}` : piece
    })
    .join('')
}
