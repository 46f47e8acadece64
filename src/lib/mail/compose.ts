import { createHash } from 'node:crypto'
import { encode as encodeBase64, wrap as wrapBase64 } from 'nodemailer/lib/base64'
import DKIM from 'nodemailer/lib/dkim'
import { encodeWord } from 'nodemailer/lib/mime-funcs'
import MimeNode from 'nodemailer/lib/mime-node'
import { encode as encodeQuoted, wrap as wrapQuoted } from 'nodemailer/lib/qp'
import { readAddress } from '#lib/audience/address.ts'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import type { OutgoingMessage } from './transport.ts'

/** What a verified domain signs with. The private key is PEM. */
export type DkimKey = { domain: string; selector: string; privateKey: string }

/**
 * The bytes that go out: the same for the same content, so that a retry hands over what the first attempt did. All of it
 * is ASCII in short lines, so that every server takes it as it is; only an address with letters beyond ASCII before its @
 * needs a server that knows SMTPUTF8. What content cannot hold by now (a second recipient, a line break in a header) is
 * a bug of whoever made it, and throws.
 */
export async function composeMessage(content: EmailContent, dkim?: DkimKey): Promise<OutgoingMessage> {
  const from = oneAddress(content.from.address)
  const to = oneAddress(content.to.address)
  const { subject, messageId, date } = content
  for (const value of [content.from.name, content.to.name, subject]) refuseControls('a header', value)
  if (!/^<[\x21-\x3b\x3d\x3f-\x7e]+>$/.test(messageId))
    throw new Error('the Message-ID is not one id in angle brackets')
  const text = withCrLf(content.text)
  const html = withCrLf(content.html)
  const headers = {
    ...checkedHeaders(content.headers),
    From: { name: readAsWritten(content.from.name), address: from },
    To: { name: readAsWritten(content.to.name), address: to },
    Subject: encodedSubject(subject),
    'Message-ID': messageId,
    Date: date,
  }
  const unsigned = html === '' ? onePart(headers, text) : twoParts(headers, text, html)
  const raw = dkim ? await sign(unsigned, dkim) : unsigned
  return { envelope: { from, to }, messageId, raw }
}

type Headers = Record<string, string | Date | { name: string; address: string }>

/**
 * Headers and encodings are the library's; put together here, since its streams take four times as long for a message
 * that is in memory already. corpus.test.ts holds the bytes to those that its streams make.
 */
function onePart(headers: Headers, text: string): Buffer {
  const message = written(withHeaders(new MimeNode(TEXT), headers).setContent(text), text)
  return Buffer.from(message.endsWith('\r\n') ? message : `${message}\r\n`)
}

function twoParts(headers: Headers, text: string, html: string): Buffer {
  // Of the content, so that it is the same for the same and nobody can write it into a text.
  const hash = createHash('sha256').update(`${headers['Message-ID']}\0${text}\0${html}`).digest('hex').slice(0, 24)
  const boundary = `--_NmP-${hash}-Part_1`
  const root = withHeaders(new MimeNode(`multipart/alternative; boundary="${boundary}"`), headers)
  const parts = [
    written(root.createChild(TEXT).setContent(text), text),
    written(root.createChild(HTML).setContent(html), html),
  ]
  const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')
  return Buffer.from(`${root.buildHeaders()}\r\n\r\n${body}--${boundary}--\r\n`)
}

const TEXT = 'text/plain; charset=utf-8'
const HTML = 'text/html; charset=utf-8'

function withHeaders(node: MimeNode, headers: Headers): MimeNode {
  // The library takes addresses and dates as they are; its types know only texts.
  for (const [name, value] of Object.entries(headers)) node.setHeader(name, value as string)
  return node
}

function written(node: MimeNode, content: string): string {
  const encoding = node.getTransferEncoding()
  return `${node.buildHeaders()}\r\n\r\n${encoding === '7bit' ? content : ENCODED[encoding === 'base64' ? 'base64' : 'quoted'](content)}`
}

const ENCODED = {
  base64: (content: string) => wrapBase64(encodeBase64(content)),
  quoted: (content: string) => wrapQuoted(encodeQuoted(content)),
}

/** Those that RFC 6376 recommends, and the two of unsubscribing, which nobody on the way may change. */
const SIGNED_HEADERS =
  'from:sender:reply-to:subject:date:message-id:to:cc:mime-version:content-type:content-transfer-encoding:in-reply-to:references:list-unsubscribe:list-unsubscribe-post'

async function sign(message: Buffer, { domain, selector, privateKey }: DkimKey): Promise<Buffer> {
  const signer = new DKIM({
    keys: [{ domainName: domain, keySelector: selector, privateKey }],
    headerFieldNames: SIGNED_HEADERS,
  } as ConstructorParameters<typeof DKIM>[0])
  const chunks: Buffer[] = []
  for await (const chunk of signer.sign(message)) chunks.push(chunk as Buffer)
  const signed = Buffer.concat(chunks)
  // The library leaves a message without a signature when it cannot read the key; nobody would notice.
  if (signed.length <= message.length) throw new Error(`the DKIM key of ${domain} cannot sign`)
  return signed
}

/** As it is written before the @, and the domain as DNS has it. */
function oneAddress(written: string): string {
  const reading = readAddress(written)
  if (!reading.ok) throw new Error('an address of the message is not exactly one address')
  const at = written.lastIndexOf('@')
  return `${written.slice(0, at).trimStart().normalize('NFC')}@${reading.domain}`
}

const OWN_HEADERS =
  /^(from|to|cc|bcc|sender|subject|date|message-id|mime-version|content-.*|dkim-signature|received|return-path|resent-.*)$/i

function checkedHeaders(headers: EmailContent['headers']): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(name)) throw new Error('a header has a name that no header has')
    if (OWN_HEADERS.test(name)) throw new Error(`the header ${name} is made from the rest of the message`)
    refuseControls(name, value)
  }
  // By name: a frozen copy comes back from the database in an order of its own.
  return Object.fromEntries(Object.entries(headers).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function refuseControls(where: string, value: string): void {
  if (/[\p{Cc}\u2028\u2029]/u.test(value)) throw new Error(`${where} holds a line break or a control character`)
}

const TOKEN_LENGTH_MAX = 60

/**
 * What looks encoded already would be decoded by the reader, and a word that is longer than a line cannot be folded: both
 * are encoded, though they are ASCII.
 */
function encodedSubject(subject: string): string {
  const isPlain = !subject.includes('=?') && !new RegExp(`\\S{${TOKEN_LENGTH_MAX}}|^\\s|\\s$|\\s{2}`).test(subject)
  return isPlain ? subject : encodeWord(subject, 'B', 52)
}

/** Readers decode encoded words in quoted names too, where the standard has none; so none may stand there. */
function readAsWritten(name: string): string {
  return name.replaceAll('=?', '= ?')
}

function withCrLf(text: string): string {
  return text.replace(/\r\n?|\n/g, '\r\n')
}
