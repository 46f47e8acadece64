import type { Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import {
  type CredentialPlace,
  forgetCredentials,
  storeCredential,
  tryCredential,
} from '#lib/tenancy/credentials/credentials.ts'
import type { Tokens } from './oauth.ts'

export type GmailAccount = {
  mailboxId: string
  workspaceId: string
  address: string
  subject: string
  scopes: string[]
  fenceProvenAt: Date | null
  /** Rises with each renewal of the access token. */
  renewal: number
  /** Less than nothing once it is over. */
  accessMsLeft: number
  isRenewing: boolean
  now: Date
}

/** Undefined where the mailbox is connected to no account. */
export async function readGmailAccount(sql: Sql, mailboxId: string): Promise<GmailAccount | undefined> {
  const { rows } = await sql.query<GmailAccount>(
    `SELECT g.mailbox_id AS "mailboxId", g.workspace_id AS "workspaceId", m.address, g.subject, g.scopes,
       g.fence_proven_at AS "fenceProvenAt", g.renewal, app_now() AS now,
       coalesce(extract(epoch FROM g.access_expires_at - app_now()) * 1000, -1)::float8 AS "accessMsLeft",
       coalesce(g.renewing_until > app_now(), false) AS "isRenewing"
     FROM gmail_accounts g JOIN mailboxes m ON m.id = g.mailbox_id AND m.workspace_id = g.workspace_id
     WHERE g.mailbox_id = $1 AND m.kind = 'GMAIL'`,
    [mailboxId],
  )
  return rows[0]
}

/** How each Gmail mailbox of a workspace may send. */
export async function listGmailAccounts(
  sql: Sql,
  workspaceId: string,
): Promise<ReadonlyMap<string, Pick<GmailAccount, 'scopes' | 'fenceProvenAt'>>> {
  const { rows } = await sql.query<Pick<GmailAccount, 'mailboxId' | 'scopes' | 'fenceProvenAt'>>(
    `SELECT mailbox_id AS "mailboxId", scopes, fence_proven_at AS "fenceProvenAt" FROM gmail_accounts WHERE workspace_id = $1`,
    [workspaceId],
  )
  return new Map(rows.map(({ mailboxId, ...account }) => [mailboxId, account]))
}

type Place = Pick<GmailAccount, 'workspaceId' | 'mailboxId'>

const placeOf = ({ workspaceId, mailboxId }: Place, field: string): CredentialPlace => ({
  ...{ workspaceId, ownerKind: 'mailbox', ownerId: mailboxId, field },
})
const accessPlace = (place: Place) => placeOf(place, 'gmail-access-token')
const refreshPlace = (place: Place) => placeOf(place, 'gmail-refresh-token')

export const readAccessToken = (sql: Sql, keyring: Keyring, place: Place) =>
  tryCredential(sql, keyring, accessPlace(place))
export const readRefreshToken = (sql: Sql, keyring: Keyring, place: Place) =>
  tryCredential(sql, keyring, refreshPlace(place))

/** A refresh token is replaced by another one, and by nothing else: answers that lack one leave it as it is. */
export async function keepTokens(tx: Sql, keyring: Keyring, place: Place, tokens: Tokens): Promise<void> {
  await storeCredential(tx, keyring, accessPlace(place), tokens.accessToken)
  if (tokens.refreshToken !== undefined) await keepRefreshToken(tx, keyring, place, tokens.refreshToken)
}

export function keepRefreshToken(tx: Sql, keyring: Keyring, place: Place, token: string): Promise<void> {
  return storeCredential(tx, keyring, refreshPlace(place), token)
}

type NewAccount = Place & { subject: string; scopes: readonly string[]; isFenceProven: boolean }

/** As a person has just granted it; a process that is renewing the old access at this moment has lost its turn. */
export async function saveGmailAccount(tx: Sql, keyring: Keyring, account: NewAccount, tokens: Tokens): Promise<void> {
  const { mailboxId, workspaceId, subject, scopes, isFenceProven } = account
  await tx.query(
    `INSERT INTO gmail_accounts (mailbox_id, workspace_id, subject, scopes, fence_proven_at, access_expires_at, updated_at)
     VALUES ($1, $2, $3, $4, CASE WHEN $5 THEN app_now() END, app_now() + make_interval(secs => $6), app_now())
     ON CONFLICT (mailbox_id) DO UPDATE SET subject = excluded.subject, scopes = excluded.scopes,
       fence_proven_at = excluded.fence_proven_at, access_expires_at = excluded.access_expires_at, renewing_until = NULL,
       renewal = gmail_accounts.renewal + 1, updated_at = app_now()`,
    [mailboxId, workspaceId, subject, scopes, isFenceProven, tokens.expiresInSeconds],
  )
  await keepTokens(tx, keyring, account, tokens)
}

export async function noteFence(tx: Sql, mailboxId: string, isProven: boolean): Promise<void> {
  await tx.query(
    `UPDATE gmail_accounts SET fence_proven_at = CASE WHEN $2 THEN app_now() END, updated_at = app_now() WHERE mailbox_id = $1`,
    [mailboxId, isProven],
  )
}

/** Nothing that opens it is kept. */
export async function forgetGmailAccount(tx: Sql, place: Place): Promise<void> {
  await tx.query('DELETE FROM gmail_accounts WHERE mailbox_id = $1 AND workspace_id = $2', [
    place.mailboxId,
    place.workspaceId,
  ])
  await forgetCredentials(tx, { workspaceId: place.workspaceId, ownerKind: 'mailbox', ownerId: place.mailboxId })
}

/**
 * Google takes back all that an account has granted this installation at once. Where the same account is connected in
 * another workspace, that one would stop too; so would a mailbox that a person has connected again in the meantime.
 */
export async function isConnected(sql: Sql, subject: string): Promise<boolean> {
  const { rows } = await sql.query('SELECT FROM gmail_accounts WHERE subject = $1 LIMIT 1', [subject])
  return rows.length > 0
}
