import { createHmac, timingSafeEqual } from 'node:crypto'

/** Which link of which email was asked for; link 0 is the picture that shows an opening, and leads nowhere. */
export type TrackedLink = { workspaceId: string; emailId: string; link: number; target: string | null }

/** Longer ones stay as they are: a link must fit into what mail programs and servers take of an address. */
export const TARGET_LENGTH_MAX = 1_500
export const LINKS_MAX = 500

const VERSION = 1
const ID_BYTES = 16
const HEAD_BYTES = 1 + 2 * ID_BYTES + 2
/** 128 bits: nobody guesses one. */
const MAC_BYTES = 16
/** A target is at most three bytes for each character. */
const TOKEN_LENGTH_MAX = Math.ceil(((HEAD_BYTES + 3 * TARGET_LENGTH_MAX + MAC_BYTES) * 4) / 3)

/**
 * Everything that the answer needs stands in the token, covered by its signature: it leads to where the author said and
 * nowhere else, also when the campaign is archived and the person erased, and no row has to be found for it.
 */
export function signTracking(key: Buffer, { workspaceId, emailId, link, target }: TrackedLink): string {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(VERSION, 0)
  Buffer.from(workspaceId.replaceAll('-', ''), 'hex').copy(head, 1)
  Buffer.from(emailId.replaceAll('-', ''), 'hex').copy(head, 1 + ID_BYTES)
  head.writeUInt16BE(link, 1 + 2 * ID_BYTES)
  const signed = Buffer.concat([head, Buffer.from(target ?? '')])
  return Buffer.concat([signed, macOf(key, signed)]).toString('base64url')
}

/** What a token says of itself; whether it is ours is for `isSignedBy` to say. */
export function readTracking(token: string): TrackedLink | undefined {
  if (token.length > TOKEN_LENGTH_MAX || !/^[\w-]+$/.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  // Of the last character some bits are of no byte: only one spelling of a token is taken.
  if (bytes.length < HEAD_BYTES + MAC_BYTES || bytes.toString('base64url') !== token || bytes[0] !== VERSION)
    return undefined
  const link = bytes.readUInt16BE(1 + 2 * ID_BYTES)
  const written = bytes.subarray(HEAD_BYTES, -MAC_BYTES).toString()
  const target = link === 0 ? null : trackableTarget(written)
  if (link === 0 ? written !== '' : target === undefined) return undefined
  return { workspaceId: idAt(bytes, 1), emailId: idAt(bytes, 1 + ID_BYTES), link, target: target ?? null }
}

export function isSignedBy(key: Buffer, token: string): boolean {
  const bytes = Buffer.from(token, 'base64url')
  return timingSafeEqual(macOf(key, bytes.subarray(0, -MAC_BYTES)), bytes.subarray(-MAC_BYTES))
}

/** A link as browsers follow it, where it is one of the web; undefined for every other, which is left as it is. */
export function trackableTarget(href: string): string | undefined {
  const url = URL.canParse(href.trim()) ? new URL(href.trim()) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > TARGET_LENGTH_MAX) return undefined
  return url.href
}

function macOf(key: Buffer, signed: Buffer): Buffer {
  return createHmac('sha256', key).update('tracking').update(signed).digest().subarray(0, MAC_BYTES)
}

function idAt(bytes: Buffer, at: number): string {
  const hex = bytes.subarray(at, at + ID_BYTES).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/**
 * For everybody but the reader: links lead to where they lead in the end and the picture is gone, so that a member who
 * looks at what was sent is not taken for its reader.
 */
export function hideTracking(html: string): string {
  return html
    .replace(/<img [^<>]{0,300}\/t\/([\w-]{60,100})"[^<>]*>/g, (written, token: string) =>
      readTracking(token)?.link === 0 ? '' : written,
    )
    .replace(/https?:\/\/[^\s"'<>]{0,300}\/t\/([\w-]{60,})/g, (written, token: string) => {
      const target = readTracking(token)?.target
      return target ? target.replaceAll('&', '&amp;') : written
    })
}
