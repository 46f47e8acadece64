import { createHash } from 'node:crypto'
import MailComposer from 'nodemailer/lib/mail-composer'
import { encodeWord } from 'nodemailer/lib/mime-funcs'
import { readAddress } from '#lib/audience/address.ts'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import type { DkimKey } from '#lib/mail/domains/dkim-keys.ts'
import type { OutgoingMessage } from '#lib/mail/transport.ts'
import { signMessage } from './dkim-signature.ts'
import { writeMime } from './mime-text.ts'
import type { MessagePart } from './parts.ts'

/**
 * The bytes that go out: the same for the same content, so that a retry hands over what the first attempt did. All of it
 * is ASCII in short lines, so that every server takes it as it is; only an address with letters beyond ASCII before its @
 * needs a server that knows SMTPUTF8. What content cannot hold by now (a second recipient, a line break in a header) is
 * a bug of the caller, and throws.
 */
export async function composeMessage(
  content: EmailContent,
  dkim?: DkimKey,
  { parts = [], bcc = [] }: { parts?: readonly MessagePart[] | undefined; bcc?: readonly string[] | undefined } = {},
): Promise<OutgoingMessage> {
  const from = oneAddress(content.from.address)
  const to = oneAddress(content.to.address)
  const { subject, messageId, date } = content
  for (const value of [content.from.name, content.to.name, subject]) refuseControls('a header', value)
  if (!/^<[\x21-\x3b\x3d\x3f-\x7e]+>$/.test(messageId))
    throw new Error('the Message-ID is not one id in angle brackets')
  const text = withCrLf(content.text)
  const html = withCrLf(content.html)
  const composer = new MailComposer({
    from: { name: readAsWritten(content.from.name), address: from },
    to: { name: readAsWritten(content.to.name), address: to },
    ...{ subject: encodedSubject(subject), messageId, date, text, headers: checkedHeaders(content.headers) },
    ...(html !== '' && { html }),
    ...partsOf(parts),
    ...{ baseBoundary: boundaryOf(content, text, html, parts), disableFileAccess: true, disableUrlAccess: true },
  } as ConstructorParameters<typeof MailComposer>[0])
  const unsigned = writeMime(composer.compile())
  const raw = dkim ? await signMessage(unsigned, dkim) : unsigned
  return { envelope: { from, to, ...(bcc.length > 0 && { bcc: bcc.map(oneAddress) }) }, messageId, raw }
}

/** Of the content, so that it is the same for the same and nobody can write it into a text. */
function boundaryOf({ messageId }: EmailContent, text: string, html: string, parts: readonly MessagePart[]): string {
  const hash = createHash('sha256').update(`${messageId}\0${text}\0${html}`)
  for (const { fileName, content } of parts) hash.update(`\0${fileName}\0`).update(content)
  return hash.digest('hex').slice(0, 24)
}

function partsOf(parts: readonly MessagePart[]) {
  for (const { fileName } of parts) refuseControls('a file name', fileName)
  const attachments = parts.flatMap((part) =>
    part.kind === 'ATTACHMENT'
      ? [{ filename: part.fileName, contentType: part.contentType, content: part.content }]
      : [],
  )
  const invitation = parts.find((part) => part.kind === 'CALENDAR')
  return {
    ...(attachments.length > 0 && { attachments }),
    ...(invitation && {
      icalEvent: { filename: invitation.fileName, method: invitation.method, content: invitation.content },
    }),
  }
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
