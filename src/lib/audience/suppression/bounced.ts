import type { HashAddress } from '#lib/audience/address-hash.ts'
import type { Sql } from '#lib/platform/database.ts'
import { takeFairLock } from '#lib/platform/fair-lock.ts'
import type { SuppressionSource } from '#lib/platform/generated/enums.ts'
import { newId } from '#lib/platform/id.ts'

/** To be taken before any other lock: the mark holds the same rows, so that an answered suppression holds for it. */
export async function lockSuppressionsOf(tx: Sql, emailIds: readonly string[]): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    'SELECT DISTINCT workspace_id AS id FROM scheduled_emails WHERE id = ANY($1::uuid[])',
    [emailIds],
  )
  const ids = rows.map(({ id }) => id)
  await takeFairLock(tx, 'to change', ids)
  await tx.query(
    'SELECT FROM sending_settings WHERE workspace_id = ANY($1::uuid[]) ORDER BY workspace_id FOR NO KEY UPDATE',
    [ids],
  )
}

export type Bounced = { prospectId: string; address: string | null }

/**
 * These addresses do not exist: they are on the suppression list from now on. A person who has got another address since
 * the message left is not bounced by what happened to the old one; answers those who are. An empty address stands for the
 * person's own (their data was erased, and their row keeps its hash).
 */
export async function suppressBouncedAddresses(
  tx: Sql,
  workspaceId: string,
  bounced: readonly Bounced[],
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string; address: string | null; hash: Buffer; isTheirs: boolean }>(
    `SELECT p.id, coalesce(b.address, p.email) AS address, coalesce(f.email_hash, p.email_hash) AS hash, f.email_hash IS NULL AS "isTheirs"
     FROM unnest($2::uuid[], $3::text[]) AS b(prospect_id, address)
     JOIN prospects p ON p.workspace_id = $1 AND p.id = b.prospect_id
     LEFT JOIN former_addresses f ON f.prospect_id = p.id AND f.email = b.address AND p.email IS DISTINCT FROM b.address
     WHERE b.address IS NULL OR p.email IS NULL OR p.email = b.address OR f.email_hash IS NOT NULL`,
    [workspaceId, bounced.map(({ prospectId }) => prospectId), bounced.map(({ address }) => address)],
  )
  const theirs = rows.filter(({ isTheirs }) => isTheirs).map(({ id }) => id)
  await tx.query(
    `UPDATE prospects SET bounced_at = coalesce(bounced_at, app_now()), updated_at = app_now()
     WHERE workspace_id = $1 AND id = ANY($2::uuid[])`,
    [workspaceId, theirs],
  )
  await suppress(tx, workspaceId, rows)
  return theirs
}

/** Who has one of these addresses: an email that is no campaign's names nobody, and bounces for them as well. */
export async function findPeopleAt(tx: Sql, workspaceId: string, addresses: readonly string[]): Promise<Bounced[]> {
  const { rows } = await tx.query<Bounced>(
    `SELECT id AS "prospectId", email AS address FROM prospects WHERE workspace_id = $1 AND email = ANY($2::text[]) ORDER BY id FOR NO KEY UPDATE`,
    [workspaceId, addresses],
  )
  return rows
}

/** The same as suppressBouncedAddresses for addresses that are nobody's here. */
export async function suppressAddressesOfNobody(
  tx: Sql,
  workspaceId: string,
  hash: HashAddress,
  addresses: readonly string[],
): Promise<void> {
  await suppress(
    tx,
    workspaceId,
    addresses.map((address) => ({ address, hash: hash(address) })),
  )
}

async function suppress(
  tx: Sql,
  workspaceId: string,
  addresses: readonly { address: string | null; hash: Buffer }[],
): Promise<void> {
  await tx.query(
    `INSERT INTO suppressions (id, workspace_id, kind, value, value_hash, reason, source)
     SELECT b.id, $1, 'ADDRESS', b.email, b.hash, 'The recipient’s server says that the address does not exist.',
       '${'BOUNCE' satisfies SuppressionSource}'
     FROM unnest($2::uuid[], $3::text[], $4::bytea[]) AS b(id, email, hash)
     ON CONFLICT (workspace_id, value_hash) DO NOTHING`,
    [workspaceId, addresses.map(newId), addresses.map(({ address }) => address), addresses.map(({ hash }) => hash)],
  )
}
