import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Refused } from '#lib/email-scheduler/outcome.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import { refusedWith } from '#lib/mail/smtp/smtp-refusal.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import {
  type GmailAccount,
  keepRefreshToken,
  keepTokens,
  readAccessToken,
  readGmailAccount,
  readRefreshToken,
} from './gmail-account.ts'
import type { Google } from './google.ts'
import { renewTokens, type TokenAnswer, type Tokens } from './oauth.ts'

/** What a Gmail mailbox is opened with. `google` is missing where this installation has no project of its own. */
export type GmailMeans = { pool: pg.Pool; keyring: Keyring; google: Google | undefined }

export type Access =
  | { ok: true; token: string; msLeft: number; account: GmailAccount; google: Google }
  | { ok: false; outcome: Refused }

/** What is over so soon is renewed first: a hand-over must not outlive it. */
const MS_LEFT_MIN = 120_000
const RENEWING_MS_MAX = 10_000
/** Longer than the request may take; after it, another process may try. */
const TURN_SECONDS = 15
const LOOK_AGAIN_MS = [20, 50, 100, 250]

/**
 * The mailbox's access token, renewed where it is over. One process at a time renews it, by a turn that stands on the row
 * and ends by itself: no transaction is open across the network, and nothing of a session is needed.
 */
export async function accessToken(means: GmailMeans, mailboxId: string, deadlineMs: number): Promise<Access> {
  const { pool, keyring, google } = means
  if (!google) return { ok: false, outcome: NO_PROJECT }
  const deadline = new Deadline(deadlineMs)
  for (let look = 0; ; look += 1) {
    const account = await readGmailAccount(pool, mailboxId)
    if (!account) return { ok: false, outcome: DISCONNECTED }
    if (account.accessMsLeft > MS_LEFT_MIN) {
      const access = await readAccessToken(pool, keyring, account)
      // Connected to another account between the two: the token is not of the permissions that were read.
      if (await isAnother(pool, account)) continue
      if (!access.readable) return { ok: false, outcome: unreadable(access.isKeyGone) }
      if (access.secret !== undefined)
        return { ok: true, token: access.secret, msLeft: account.accessMsLeft, account, google }
    }
    const turn = account.isRenewing ? undefined : await takeTurn(pool, account)
    if (turn !== undefined) {
      const renewed = await renew(means, google, { ...account, renewal: turn }, deadline)
      if (renewed) return renewed
    } else if (deadline.leftMs() === 0) return { ok: false, outcome: STILL_RENEWING }
    else await sleep(Math.min(LOOK_AGAIN_MS[look] ?? 250, deadline.leftMs()))
  }
}

async function isAnother(sql: Sql, { mailboxId, renewal }: GmailAccount): Promise<boolean> {
  return (await readGmailAccount(sql, mailboxId))?.renewal !== renewal
}

/** Google has refused a token that should have been good: the next one who needs one renews it. */
export async function distrustAccess(
  { pool }: GmailMeans,
  { mailboxId, renewal }: Pick<GmailAccount, 'mailboxId' | 'renewal'>,
): Promise<void> {
  await pool.query(
    'UPDATE gmail_accounts SET access_expires_at = NULL, updated_at = app_now() WHERE mailbox_id = $1 AND renewal = $2',
    [mailboxId, renewal],
  )
}

/** Undefined where another was quicker, or has renewed it since it was looked at. */
async function takeTurn(pool: pg.Pool, { mailboxId, renewal }: GmailAccount): Promise<number | undefined> {
  const { rows } = await pool.query<{ renewal: number }>(
    `UPDATE gmail_accounts SET renewing_until = app_now() + make_interval(secs => $3), renewal = renewal + 1
     WHERE mailbox_id = $1 AND renewal = $2 AND coalesce(renewing_until, '-infinity') <= app_now()
     RETURNING renewal`,
    [mailboxId, renewal, TURN_SECONDS],
  )
  return rows[0]?.renewal
}

/** Undefined where it has to be looked at anew. */
async function renew(
  { pool, keyring }: GmailMeans,
  google: Google,
  account: GmailAccount,
  deadline: Deadline,
): Promise<Access | undefined> {
  const refresh = await readRefreshToken(pool, keyring, account)
  if (!refresh.readable || refresh.secret === undefined) {
    await endTurn(pool, account)
    return { ok: false, outcome: refresh.readable ? DISCONNECTED : unreadable(refresh.isKeyGone) }
  }
  const used = refresh.secret
  const answer = await renewTokens(google, used, Math.min(RENEWING_MS_MAX, deadline.leftMs()))
  if (answer.ok) {
    const { tokens } = answer
    const isOurs = await inTransaction(pool, (tx) => keepRenewed(tx, keyring, account, used, tokens))
    // What the token allows may not be what was read of the account: it was connected anew, or disconnected.
    if (!isOurs) return undefined
    return { ok: true, token: tokens.accessToken, msLeft: tokens.expiresInSeconds * 1_000, account, google }
  }
  // Another has brought a new one since this one was read: then the refusal says nothing about it.
  const now = answer.why === 'revoked' ? await readRefreshToken(pool, keyring, account) : undefined
  await endTurn(pool, account)
  if (now?.readable && now.secret !== undefined && now.secret !== used) return undefined
  return { ok: false, outcome: refusalOfTokens(answer) }
}

/**
 * Answers whether the turn was still ours. A process that lost it keeps nothing, with one exception: a new refresh token
 * that Google has given in the place of the one that is still there. Without it the mailbox would be locked out.
 */
async function keepRenewed(
  tx: Sql,
  keyring: Keyring,
  account: GmailAccount,
  used: string,
  tokens: Tokens,
): Promise<boolean> {
  const { rows } = await tx.query<{ isOurs: boolean }>(
    `SELECT renewal = $2 AS "isOurs" FROM gmail_accounts WHERE mailbox_id = $1 FOR UPDATE`,
    [account.mailboxId, account.renewal],
  )
  const [row] = rows
  if (!row) return false
  if (row.isOurs) {
    await keepTokens(tx, keyring, account, tokens)
    await tx.query(
      `UPDATE gmail_accounts SET access_expires_at = app_now() + make_interval(secs => $2), renewing_until = NULL, updated_at = app_now()
       WHERE mailbox_id = $1`,
      [account.mailboxId, tokens.expiresInSeconds],
    )
    return true
  }
  const kept = await readRefreshToken(tx, keyring, account)
  if (tokens.refreshToken !== undefined && kept.readable && kept.secret === used)
    await keepRefreshToken(tx, keyring, account, tokens.refreshToken)
  return false
}

async function endTurn(pool: pg.Pool, { mailboxId, renewal }: GmailAccount): Promise<void> {
  await pool.query('UPDATE gmail_accounts SET renewing_until = NULL WHERE mailbox_id = $1 AND renewal = $2', [
    mailboxId,
    renewal,
  ])
}

function refusalOfTokens({ why, text }: Extract<TokenAnswer, { ok: false }>): Refused {
  switch (why) {
    case 'revoked':
      return refusedWith('TOKEN_EXPIRED', 'mailbox', { reason: RECONNECT, providerText: text })
    case 'misconfigured':
      return refusedWith('LOGIN_UNAVAILABLE', 'mailbox', { reason: NOT_ACCEPTED, providerText: text })
    case 'unavailable':
      return refusedWith('LOGIN_UNAVAILABLE', 'mailbox', { reason: UNAVAILABLE, providerText: text })
  }
}

const RECONNECT =
  'Google says that the permission to send has expired or was withdrawn. Connect the mailbox again; what waits for it waits on.'
const NOT_ACCEPTED =
  'Google does not accept this installation (GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET). Tell whoever runs it; sending goes on once it does.'
const UNAVAILABLE = 'Google cannot renew the permission to send at the moment. Sending goes on when it can.'

const NO_PROJECT = refusedWith('LOGIN_UNAVAILABLE', 'mailbox', {
  reason:
    'This installation has no Google project (GOOGLE_CLIENT_ID is not set). Tell whoever runs it; sending goes on once it has.',
})
const DISCONNECTED = refusedWith('TOKEN_EXPIRED', 'mailbox', {
  reason: 'The mailbox is connected to no Google account. Connect it again; what waits for it waits on.',
})
const STILL_RENEWING = refusedWith('LOGIN_UNAVAILABLE', 'mailbox', { reason: UNAVAILABLE })

function unreadable(isKeyGone: boolean): Refused {
  return refusedWith('CREDENTIAL_UNREADABLE', 'mailbox', {
    reason: isKeyGone
      ? 'The permission to send cannot be read: ENCRYPTION_KEYS no longer holds the key it was kept under. Connect the mailbox again.'
      : 'What is kept as the permission to send cannot be read: it was not kept for this mailbox, or was damaged. Connect the mailbox again.',
  })
}
