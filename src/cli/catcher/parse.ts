import { type Attachment, simpleParser } from 'mailparser'
import { linksOf } from './links.ts'
import { type ListUnsubscribe, listUnsubscribeOf } from './list-unsubscribe.ts'
import { formatAddresses } from './summary.ts'

export type Header = { name: string; value: string }

export type ParsedMessage = {
  from: string
  to: string
  cc: string
  replyTo: string
  date: string | null
  headers: Header[]
  text: string | null
  html: string | null
  /** Every web address in the HTML and the text, in the order of appearance, once each. */
  links: string[]
  attachments: Attachment[]
  listUnsubscribe: ListUnsubscribe | null
}

export async function parseMessage(raw: Buffer): Promise<ParsedMessage> {
  // Only what the sender wrote: no text made from HTML, no HTML made from text.
  const mail = await simpleParser(raw, { skipHtmlToText: true, skipTextToHtml: true, skipTextLinks: true })
  const headers = mail.headerLines.map(({ line }) => headerFrom(line))
  const text = mail.text ?? null
  const html = mail.html || null
  return {
    from: formatAddresses(mail.from),
    to: formatAddresses(mail.to),
    cc: formatAddresses(mail.cc),
    replyTo: formatAddresses(mail.replyTo),
    date: mail.date && !Number.isNaN(mail.date.getTime()) ? mail.date.toISOString() : null,
    headers,
    text,
    html,
    links: linksOf(html, text),
    attachments: mail.attachments,
    listUnsubscribe: listUnsubscribeOf(headers),
  }
}

/** A header as it travelled, unfolded but not decoded: this is where one looks for what was really sent. */
function headerFrom(line: string): Header {
  const colon = line.indexOf(':')
  const value = Buffer.from(line.slice(colon + 1), 'latin1').toString('utf8')
  return { name: line.slice(0, colon).trim(), value: value.replace(/\r?\n(?=[ \t])/g, '').trim() }
}
