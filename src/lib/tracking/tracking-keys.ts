import { LRUCache } from 'lru-cache'
import type { Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { readKeys, workspaceKeys } from '#lib/tenancy/credentials/workspace-keys.ts'
import { isSignedBy, readTracking, type TrackedLink } from './tracking-link.ts'

const KEY_NAME = 'tracking-key'

/** Of these workspaces, the key that each has for this and nothing else. */
export const trackingKeys = (sql: Sql, keyring: Keyring, workspaceIds: readonly string[]) =>
  workspaceKeys(sql, keyring, KEY_NAME, workspaceIds)

/** They are never replaced, so that one that was read once need not be asked for again. */
const known = new LRUCache<string, Buffer>({ max: 1_000 })

/** What a token asks for. Undefined for everything that we did not sign. */
export async function readTrackingToken(sql: Sql, keyring: Keyring, token: string): Promise<TrackedLink | undefined> {
  const asked = readTracking(token)
  if (!asked) return undefined
  const { workspaceId } = asked
  const key = known.get(workspaceId) ?? (await readKeys(sql, keyring, KEY_NAME, [workspaceId])).get(workspaceId)
  if (!key) return undefined
  known.set(workspaceId, key)
  return isSignedBy(key, token) ? asked : undefined
}
