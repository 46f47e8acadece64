import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { saveGmailAccount } from '#lib/mail/gmail/gmail-account.ts'
import type { Google } from '#lib/mail/gmail/google.ts'
import { authorisationUrl, exchangeCode, identityIn, type Tokens } from '#lib/mail/gmail/oauth.ts'
import { scopesFor } from '#lib/mail/gmail/scopes.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { type Keyring, readKeyring } from '#lib/platform/keyring.ts'
import { ENCRYPTION_KEYS } from '#tests/support/faults/worker.ts'

const REDIRECT = 'http://localhost:3000/mailboxes/gmail'

/** What a person does at Google's page: signs in, leaves some permissions ticked, and is sent back. Answers where to. */
export async function consentAt(
  url: string,
  { email, scopes }: { email: string; scopes?: readonly string[] },
): Promise<URL> {
  const ask = new URL(url)
  const shown = await fetch(ask)
  if (!shown.ok) throw new Error(await shown.text())
  const body = new URLSearchParams({ ask: ask.searchParams.toString(), email, answer: 'allow' })
  for (const scope of scopes ?? (ask.searchParams.get('scope') ?? '').split(' ')) body.append('scope', scope)
  const answer = await fetch(new URL('/consent', ask), { method: 'POST', body, redirect: 'manual' })
  const location = answer.headers.get('location')
  if (!location) throw new Error(await answer.text())
  return new URL(location)
}

/** Tokens for this address, as if its owner had agreed. */
export async function grantTokens(
  google: Google,
  email: string,
  scopes: readonly string[] = scopesFor('drafts'),
): Promise<Tokens> {
  const verifier = randomBytes(32).toString('base64url')
  const url = authorisationUrl(google, { redirectUri: REDIRECT, scopes, state: 'state', verifier })
  const code = (await consentAt(url, { email, scopes })).searchParams.get('code') ?? ''
  const answer = await exchangeCode(google, { code, verifier, redirectUri: REDIRECT }, 10_000)
  if (!answer.ok) throw new Error(answer.text)
  return answer.tokens
}

export function testKeyring(keys = ENCRYPTION_KEYS): Keyring {
  const reading = readKeyring(keys)
  if (!reading.ok) throw new Error(reading.problem)
  return reading.keyring
}

type Wanted = { scopes?: readonly string[]; isFenceProven?: boolean }

/** Makes Gmail mailboxes of these, each connected to the account of its own address. */
export async function connectToGoogle(
  pool: pg.Pool,
  google: Google,
  mailboxIds: readonly string[],
  { scopes = scopesFor('drafts'), isFenceProven = true }: Wanted = {},
): Promise<string[]> {
  const addresses: string[] = []
  for (const mailboxId of mailboxIds) {
    const { rows } = await pool.query<{ workspaceId: string; address: string }>(
      `UPDATE mailboxes SET kind = 'GMAIL', updated_at = app_now() WHERE id = $1 RETURNING workspace_id AS "workspaceId", address`,
      [mailboxId],
    )
    const [{ workspaceId, address } = { workspaceId: '', address: '' }] = rows
    const tokens = await grantTokens(google, address, scopes)
    const subject = identityIn(tokens.idToken, google)?.subject ?? ''
    const account = { mailboxId, workspaceId, subject, scopes: tokens.scopes ?? [], isFenceProven }
    await inTransaction(pool, (tx) => saveGmailAccount(tx, testKeyring(), account, tokens))
    addresses.push(address)
  }
  return addresses
}
