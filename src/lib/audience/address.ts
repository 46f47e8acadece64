import { domainToASCII } from 'node:url'

export type AddressReading = { ok: true; address: string; domain: string } | { ok: false; reason: string }
export type DomainReading = { ok: true; domain: string } | { ok: false; reason: string }

const ADDRESS_BYTES_MAX = 254
const LOCAL_BYTES_MAX = 64
const DOMAIN_LENGTH_MAX = 253

/** What an address without quotes may hold (RFC 5321), and beyond ASCII whatever shows as something (RFC 6531). */
const LOCAL_PART = /^(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]|[^\p{ASCII}\p{C}\p{Z}])+$/u
/** Full-width forms that a program further on may fold into what separates addresses. */
const FOLDS_INTO_SYNTAX = /[\s"(),:;<>@[\\\]]/
/** Only letters, digits, marks, hyphens and full stops: the parser of hosts would also decode %40 and read 127.1 as an IP. */
const WRITTEN_DOMAIN = /^[\p{L}\p{M}\p{N}.。-]+$/u
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/**
 * Exactly one address, in the one form that it is kept and compared in: trimmed, NFC, in lower case on both sides of the
 * @, the domain in its ASCII form. Why so: src/decisions/audience.md.
 */
export function readAddress(text: string): AddressReading {
  const written = text.trim().normalize('NFC')
  if (written === '') return refuse('There is no address.')
  if (written.length > 4 * ADDRESS_BYTES_MAX) return refuse(TOO_LONG)
  if (/[\r\n]/.test(written)) return refuse('An address is one line.')
  if (/[,;]/.test(written)) return refuse('Only one address is possible here, without commas or semicolons.')
  if (/[<>]/.test(written)) return refuse('Only the address itself is possible here, without a name or angle brackets.')
  const [local = '', host, ...more] = written.split('@')
  if (host === undefined) return refuse('An address has an @ between name and domain.')
  if (more.length > 0) return refuse('An address has only one @.')
  const localProblem = problemOfLocalPart(local)
  if (localProblem) return refuse(localProblem)
  const domain = readDomain(host)
  if (!domain.ok) return domain
  // Lower case may take letters apart again.
  const address = `${local.toLowerCase().normalize('NFC')}@${domain.domain}`
  if (Buffer.byteLength(address.split('@')[0] ?? '') > LOCAL_BYTES_MAX)
    return refuse(`The part before the @ has at most ${LOCAL_BYTES_MAX} characters.`)
  return Buffer.byteLength(address) > ADDRESS_BYTES_MAX
    ? refuse(TOO_LONG)
    : { ok: true, address, domain: domain.domain }
}

/** A domain as DNS has it: `Müller.DE` and `xn--mller-kva.de` are the same. */
export function readDomain(text: string): DomainReading {
  const written = text.trim().normalize('NFC')
  if (!WRITTEN_DOMAIN.test(written)) return refuse('The domain holds characters that no domain has.')
  const domain = domainToASCII(written)
  const labels = domain.split('.')
  if (domain === '' || domain.length > DOMAIN_LENGTH_MAX || !labels.every((label) => LABEL.test(label)))
    return refuse('The domain is not one that can exist.')
  if (labels.length < 2) return refuse('The domain lacks its ending, like .com.')
  if (/^\d+$/.test(labels.at(-1) ?? '')) return refuse('A number is not a domain.')
  return { ok: true, domain }
}

/** `mail.example.co.uk` and everything above it that a suppression could name. */
export function withParents(domain: string): string[] {
  const labels = domain.split('.')
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
}

function problemOfLocalPart(local: string): string | undefined {
  if (local === '') return 'There is nothing before the @.'
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..'))
    return 'The part before the @ has a full stop where none may stand.'
  if (!LOCAL_PART.test(local)) return 'The part before the @ holds a character that no address has.'
  const beyondAscii = local.replace(/\p{ASCII}/gu, '')
  return FOLDS_INTO_SYNTAX.test(beyondAscii.normalize('NFKC'))
    ? 'The part before the @ holds a character that can be taken for punctuation.'
    : undefined
}

const TOO_LONG = `An address has at most ${ADDRESS_BYTES_MAX} characters.`

const refuse = (reason: string) => ({ ok: false as const, reason })
