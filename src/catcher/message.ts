import { DomUtils, parseDocument } from 'htmlparser2'
import { type AddressObject, simpleParser } from 'mailparser'

/** Who the SMTP client said the mail is from and for; the headers may claim otherwise. */
export type Envelope = { from: string; to: string[] }

/** What the inbox needs to know about a mail without opening it. */
export type Summary = {
  id: string
  receivedAt: string
  bytes: number
  /** As the From header shows it; the envelope's sender where there is no such header. */
  from: string
  /** Everyone the mail was really addressed to, blind copies included. */
  to: string[]
  subject: string
  envelope: Envelope
}

export type Message = Awaited<ReturnType<typeof parseMessage>>

/** Enough for the headers of any mail a person would send; what lies beyond is not worth the time. */
const HEADER_BYTES_MAX = 256 * 1024
/** The full stop or bracket after an address belongs to the sentence. A text split by this has addresses at odd places. */
export const URL_IN_TEXT = /(https?:\/\/[^\s<>"]{0,2000}[^\s<>".,;:!?'*_)\]}])/gi

/** Headers that make no sense leave their field empty; a file that lost its envelope is known by its headers. */
export async function summarise(id: string, given: Envelope | undefined, raw: Buffer): Promise<Summary> {
  const end = raw.indexOf('\r\n\r\n') + 4
  const block = raw.subarray(0, end > 3 && end < HEADER_BYTES_MAX ? end : HEADER_BYTES_MAX)
  const headers = await simpleParser(block).catch(() => undefined)
  const envelope = given ?? { from: '', to: headers?.to ? [formatAddresses(headers.to)] : [] }
  return {
    id,
    receivedAt: new Date(Number.parseInt(id.slice(0, 9), 36)).toISOString(),
    bytes: raw.length,
    from: formatAddresses(headers?.from) || envelope.from,
    to: envelope.to,
    subject: headers?.subject ?? '',
    envelope,
  }
}

/** Only what the sender wrote: no text made from HTML, no HTML made from text. */
export async function parseMessage(raw: Buffer) {
  const mail = await simpleParser(raw, { skipHtmlToText: true, skipTextToHtml: true, skipTextLinks: true })
  // As they travelled, unfolded but not decoded: this is where one looks for what was really sent.
  const headers = mail.headerLines.map(({ line }) => {
    const [, name = '', value = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(line, 'latin1').toString('utf8')) ?? []
    return { name: name.trim(), value: value.replace(/\r?\n(?=[ \t])/g, '').trim() }
  })
  const valuesOf = (wanted: string) =>
    headers.filter(({ name }) => name.toLowerCase() === wanted).map(({ value }) => value)
  const ways =
    valuesOf('list-unsubscribe')
      .join()
      .match(/(?<=<)[^<>]+(?=>)/g) ?? []
  const waysOut = ways.map((way) => way.replace(/\s/g, ''))
  const offersOneClick = valuesOf('list-unsubscribe-post').includes('List-Unsubscribe=One-Click')
  const [text, html] = [mail.text ?? null, mail.html || null]
  return {
    to: formatAddresses(mail.to),
    cc: formatAddresses(mail.cc),
    replyTo: formatAddresses(mail.replyTo),
    headers,
    text,
    html,
    /** Every web address in the HTML and the text, in the order of appearance, once each. */
    links: [...new Set([...linksInHtml(html ?? ''), ...(text?.match(URL_IN_TEXT) ?? [])])],
    attachments: mail.attachments,
    waysOut,
    /** The address that a mail client's own unsubscribe button would POST to (RFC 8058), if the mail offers one. */
    oneClickUrl: (offersOneClick && waysOut.find((way) => /^https?:/i.test(way))) || null,
  }
}

function linksInHtml(html: string): string[] {
  const anchors = DomUtils.getElementsByTagName((name) => name === 'a' || name === 'area', parseDocument(html))
  return anchors.map(({ attribs }) => (attribs.href ?? '').trim()).filter((href) => /^https?:/i.test(href))
}

/** As a person reads it, without the quotes that travel. */
function formatAddresses(field: AddressObject | AddressObject[] | undefined): string {
  const texts = [field ?? []].flat().map(({ text }) => text)
  return texts.join(', ').replaceAll('"', '')
}
