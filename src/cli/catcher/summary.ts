import { type AddressObject, simpleParser } from 'mailparser'

/** Who the SMTP client said the mail is from and for; the headers may claim otherwise. */
export type Envelope = { from: string; to: string[] }

/** What the inbox needs to know about a mail without opening it. Kept in memory and in the sidecar file. */
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

/** Enough for the headers of any mail a person would send; what lies beyond is not worth holding in memory. */
export const HEADER_BYTES_MAX = 256 * 1024

/** Reads a summary out of the first bytes of a mail. Headers that make no sense leave their field empty. */
export async function summarise(
  file: { id: string; receivedAt: string; bytes: number },
  envelope: Envelope,
  start: Buffer,
): Promise<Summary> {
  const summary = { ...file, from: envelope.from, to: envelope.to, subject: '', envelope }
  const headers = await simpleParser(headerBlock(start)).catch(() => null)
  if (headers) {
    summary.from = formatAddresses(headers.from) || envelope.from
    summary.subject = headers.subject ?? ''
    if (envelope.to.length === 0) summary.to = addressesOf(headers.to)
  }
  return summary
}

/** As a person reads it, without the quotes and escapes that travel. */
export function formatAddresses(field: AddressObject | AddressObject[] | undefined): string {
  return entriesOf(field)
    .map(({ name, address }) => (name && address ? `${name} <${address}>` : address || name))
    .join(', ')
}

function addressesOf(field: AddressObject | AddressObject[] | undefined): string[] {
  return entriesOf(field).flatMap(({ address }) => address || [])
}

function entriesOf(field: AddressObject | AddressObject[] | undefined) {
  return [field ?? []].flat().flatMap(({ value }) => value.flatMap((entry) => [entry, ...(entry.group ?? [])]))
}

function headerBlock(start: Buffer): Buffer {
  const end = start.indexOf('\r\n\r\n')
  return end === -1 ? start : start.subarray(0, end + 4)
}
