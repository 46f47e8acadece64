import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { readKeys, workspaceKeys } from '#lib/tenancy/credentials/workspace-keys.ts'

/** Whom a link is about. It names nothing that is ever deleted, so that it works as long as the installation does. */
export type Reader = { workspaceId: string; prospectId: string }

/** The link of a test email: a page of its own, and no person behind it. */
export const TEST_LINK_TOKEN = 'test'

const KEY_NAME = 'unsubscribe-key'
const VERSION = 1
const ID_BYTES = 16
const SIGNED_BYTES = 1 + 2 * ID_BYTES
/** 128 bits: nobody guesses one, and the link stays on one line. */
const MAC_BYTES = 16

export type SignLink = (reader: Reader) => string

/** For these workspaces, with the key that each of them has for this and nothing else. It is never replaced. */
export async function unsubscribeSigner(
  sql: Sql,
  keyring: Keyring,
  workspaceIds: readonly string[],
): Promise<SignLink> {
  const keys = await workspaceKeys(sql, keyring, KEY_NAME, workspaceIds)
  return (reader) => {
    const key = keys.get(reader.workspaceId)
    if (!key) throw new Error('the workspace has no key to sign links with')
    const signed = signedPart(reader)
    return Buffer.concat([signed, macOf(key, signed)]).toString('base64url')
  }
}

/** Undefined for everything that we did not sign. */
export async function readUnsubscribeToken(sql: Sql, keyring: Keyring, token: string): Promise<Reader | undefined> {
  const reader = readForm(token)
  if (!reader) return undefined
  const bytes = Buffer.from(token, 'base64url')
  const key = (await readKeys(sql, keyring, KEY_NAME, [reader.workspaceId])).get(reader.workspaceId)
  if (!key) return undefined
  const signed = bytes.subarray(0, SIGNED_BYTES)
  return timingSafeEqual(macOf(key, signed), bytes.subarray(SIGNED_BYTES)) ? reader : undefined
}

/**
 * For everybody but the reader, who alone may come back by the link: a member who reads what was sent must not find a
 * working one in it.
 */
export function hideUnsubscribeLinks(text: string): string {
  return text.replace(/\/u\/[\w-]{66}(?![\w-])/g, '/u/…')
}

function readForm(token: string): Reader | undefined {
  if (!/^[\w-]{66}$/.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  // Of the last character two bits are of no byte: only one spelling of a token is taken.
  if (bytes.length !== SIGNED_BYTES + MAC_BYTES || bytes.toString('base64url') !== token) return undefined
  if (bytes[0] !== VERSION) return undefined
  return { workspaceId: idAt(bytes, 1), prospectId: idAt(bytes, 1 + ID_BYTES) }
}

function signedPart({ workspaceId, prospectId }: Reader): Buffer {
  return Buffer.concat([
    Buffer.from([VERSION]),
    ...[workspaceId, prospectId].map((id) => Buffer.from(id.replaceAll('-', ''), 'hex')),
  ])
}

function macOf(key: Buffer, signed: Buffer): Buffer {
  return createHmac('sha256', key).update('unsubscribe').update(signed).digest().subarray(0, MAC_BYTES)
}

function idAt(bytes: Buffer, at: number): string {
  const hex = bytes.subarray(at, at + ID_BYTES).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
