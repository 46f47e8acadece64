import type { Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import {
  type CredentialPlace,
  forgetCredentials,
  readCredential,
  storeCredential,
  tryCredential,
} from '#lib/tenancy/credentials/credentials.ts'
import { newSecret } from './signature.ts'

const FIELDS = ['secret', 'previous-secret'] as const

type Owner = { workspaceId: string; id: string }

const placeOf = ({ workspaceId, id }: Owner, field: (typeof FIELDS)[number]): CredentialPlace => ({
  ...{ workspaceId, ownerKind: 'webhook', ownerId: id, field },
})

/** Told to the caller once, and never shown again. */
export async function makeSecret(tx: Sql, keyring: Keyring, owner: Owner): Promise<string> {
  const secret = newSecret()
  await storeCredential(tx, keyring, placeOf(owner, 'secret'), secret)
  return secret
}

/** The one there was stays beside the new one; how long it counts stands with the endpoint. */
export async function replaceSecret(tx: Sql, keyring: Keyring, owner: Owner): Promise<string> {
  const before = await tryCredential(tx, keyring, placeOf(owner, 'secret'))
  if (before.readable && before.secret !== undefined)
    await storeCredential(tx, keyring, placeOf(owner, 'previous-secret'), before.secret)
  return makeSecret(tx, keyring, owner)
}

/** Those that sign now, the newest first. */
export async function readSecrets(
  sql: Sql,
  keyring: Keyring,
  owner: Owner & { hasPrevious: boolean },
): Promise<string[]> {
  const fields = owner.hasPrevious ? FIELDS : FIELDS.slice(0, 1)
  const secrets = await Promise.all(fields.map((field) => readCredential(sql, keyring, placeOf(owner, field))))
  return secrets.filter((secret) => secret !== undefined)
}

export function forgetSecrets(tx: Sql, { workspaceId, id }: Owner): Promise<void> {
  return forgetCredentials(tx, { workspaceId, ownerKind: 'webhook', ownerId: id })
}
