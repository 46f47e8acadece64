import { createHmac, randomUUID } from 'node:crypto'
import { readAddress } from '#lib/audience/address.ts'
import { addMailbox } from '#lib/email-scheduler/mailboxes/add-mailbox.ts'
import {
  noteNewAccess,
  reconnectMailbox,
  stopMailbox,
  tellOfMailbox,
} from '#lib/email-scheduler/mailboxes/change-mailbox.ts'
import { failedByLogin, retryFailedByLogin } from '#lib/email-scheduler/mailboxes/failed-by-login.ts'
import {
  listMailboxes,
  loadMailbox,
  lockMailbox,
  type Mailbox,
  refuseArchivedMailbox,
} from '#lib/email-scheduler/mailboxes/mailbox.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import type { GmailMeans } from '#lib/mail/gmail/access-token.ts'
import {
  forgetGmailAccount,
  type GmailAccount,
  isConnected,
  listGmailAccounts,
  noteFence,
  readGmailAccount,
  readRefreshToken,
  saveGmailAccount,
} from '#lib/mail/gmail/gmail-account.ts'
import { GmailApi } from '#lib/mail/gmail/gmail-api.ts'
import { rememberAsk, takeAsk } from '#lib/mail/gmail/gmail-asks.ts'
import { linkOf, openGmail } from '#lib/mail/gmail/gmail-link.ts'
import type { Google } from '#lib/mail/gmail/google.ts'
import { checkLive } from '#lib/mail/gmail/live-check.ts'
import { authorisationUrl, exchangeCode, identityIn, revokeToken, type Tokens } from '#lib/mail/gmail/oauth.ts'
import { abilitiesOf, type GmailWish, scopesFor } from '#lib/mail/gmail/scopes.ts'
import { composeMessage } from '#lib/mail/message/compose.ts'
import { refuseFailed, type SmtpTest } from '#lib/mail/smtp/test-smtp.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { workspaceKeys } from '#lib/tenancy/credentials/workspace-keys.ts'
import { type MailboxContext, type TestedMailbox, unparkAll } from './mailbox-context.ts'

/** `redirectUri`: where Google sends people back to, as the Google project knows it. */
export type GmailContext = MailboxContext & { personId: string; redirectUri: string }

const EXCHANGE_MS_MAX = 15_000
const CHECK_MS_MAX = 30_000
const REVOKE_MS_MAX = 10_000

/** Where a person grants a mailbox, or grants one again. */
export async function beginGmail(
  context: GmailContext,
  { wish, mailboxId = null }: { wish: GmailWish; mailboxId?: string | null | undefined },
): Promise<{ url: string }> {
  const { pool, workspaceId, personId, redirectUri } = context
  const google = projectOf(context)
  const mailbox = mailboxId === null ? undefined : await loadMailbox(pool, workspaceId, mailboxId)
  if (mailbox) refuseOther(mailbox)
  const state = await inTransaction(pool, (tx) => rememberAsk(tx, { workspaceId, personId, mailboxId, wish }))
  const verifier = await verifierFor(context, state)
  const scopes = scopesFor(wish)
  return { url: authorisationUrl(google, { redirectUri, scopes, state, verifier, loginHint: mailbox?.address }) }
}

export type GmailConnected = { mailboxId: string; revived: boolean; failedByLogin: number }

/**
 * What Google has sent a person back with: exchanged for tokens, tried live, and kept. What does not work is kept nowhere,
 * and a mailbox that was connected before stays as it was.
 */
export async function finishGmail(
  context: GmailContext,
  { state, code }: { state: string; code: string },
): Promise<GmailConnected> {
  const { pool, workspaceId, personId, redirectUri, trial: { reached } = {} } = context
  const google = projectOf(context)
  const ask = await inTransaction(pool, (tx) => takeAsk(tx, state, { workspaceId, personId }))
  if (!ask) throw wayClosed()
  reached?.('login')
  const verifier = await verifierFor(context, state)
  const before = await listGmailAccounts(pool, workspaceId)
  const answer = await exchangeCode(google, { code, verifier, redirectUri }, EXCHANGE_MS_MAX)
  if (!answer.ok) throw refusedAtLogin(EXCHANGE_FAILED[answer.why], answer.text)
  const { tokens } = answer
  const granted = await readGranted(context, google, tokens, ask)
  const link = linkOf(
    await GmailApi.open(tokens.accessToken, google.rootUrl),
    { ...granted, fenceProvenAt: null, renewal: 0, accessMsLeft: 0, isRenewing: false, now: await appNow(pool) },
    tokens.expiresInSeconds * 1_000,
    async () => undefined,
  )
  const { test, isFenced } = await checkLive(
    link,
    await messageToItself(granted.address, link.now()),
    new Deadline(CHECK_MS_MAX),
    reached,
  )
  refuseFailed(test)
  const kept = await inTransaction(pool, async (tx) => {
    if (before.has(granted.mailboxId)) await refuseDisconnected(tx, workspaceId, granted.mailboxId)
    return keep(tx, context, granted, isFenced, tokens)
  })
  await unparkAll(pool, workspaceId, kept.mailboxId)
  return { ...kept, failedByLogin: (await failedByLogin(pool, workspaceId, kept.mailboxId)).length }
}

type Granted = { mailboxId: string; workspaceId: string; address: string; subject: string; scopes: string[] }

/** Whose it is and what it allows; `mailboxId` is empty for a mailbox that is new here. */
async function readGranted(
  { pool, keyring, workspaceId }: MailboxContext,
  google: Google,
  tokens: Tokens,
  { mailboxId, wish }: { mailboxId: string | null; wish: GmailWish },
): Promise<Granted> {
  const identity = identityIn(tokens.idToken, google)
  const reading = readAddress(identity?.email ?? '')
  if (!identity || !reading.ok) throw refusedAtLogin('Google did not say whose account it is. Begin again.')
  const { address } = reading
  const scopes = tokens.scopes ?? [...scopesFor(wish)]
  if (!abilitiesOf(scopes).send) throw refusedAtLogin(NOTHING_GRANTED)
  const mailboxes = await listMailboxes(pool, workspaceId, 'false')
  const wanted = mailboxes.find(({ id }) => id === mailboxId)
  if (mailboxId !== null && wanted?.address !== address) throw refusedAtLogin(otherAccount(address, wanted?.address))
  // Who connects a mailbox that is here means to connect it again.
  const known = wanted ?? mailboxes.find((mailbox) => mailbox.address === address)
  if (known) refuseOther(known)
  const place = { workspaceId, mailboxId: known?.id ?? '' }
  if (tokens.refreshToken === undefined) {
    // Only of the very same account: an address is given to another one where its owner was renamed.
    const isSame = known && (await readGmailAccount(pool, known.id))?.subject === identity.subject
    const before = isSame ? await readRefreshToken(pool, keyring, place) : undefined
    if (!before?.readable || before.secret === undefined) throw refusedAtLogin(NOT_LASTING)
  }
  return { ...place, address, subject: identity.subject, scopes }
}

/**
 * Disconnecting has taken back all that this account had granted, or is about to: also what was granted a moment before.
 */
async function refuseDisconnected(tx: Sql, workspaceId: string, mailboxId: string): Promise<void> {
  await lockMailbox(tx, workspaceId, mailboxId)
  if (await readGmailAccount(tx, mailboxId)) return
  throw new PublicError(
    409,
    'disconnected-meanwhile',
    'The mailbox was disconnected while it was being connected, and with it this permission. Begin again.',
  )
}

async function keep(
  tx: Sql,
  { keyring, workspaceId, actor }: MailboxContext,
  granted: Granted,
  isFenceProven: boolean,
  tokens: Tokens,
): Promise<{ mailboxId: string; revived: boolean }> {
  const { address, subject, scopes } = granted
  const isNew = granted.mailboxId === ''
  const { mailbox, revived } = isNew
    ? await addMailbox(tx, workspaceId, { address, kind: 'GMAIL', rollingLimit: limitOf(address) }, actor)
    : { mailbox: await lockMailbox(tx, workspaceId, granted.mailboxId), revived: false }
  const account = { workspaceId, mailboxId: mailbox.id, subject, scopes, isFenceProven }
  await saveGmailAccount(tx, keyring, account, tokens)
  await noteNewAccess(tx, mailbox.id)
  if (!isNew) await reconnectMailbox(tx, workspaceId, mailbox.id, actor)
  const { draft, read } = abilitiesOf(scopes)
  await tellOfMailbox(tx, workspaceId, 'mailbox.changed', mailbox, actor, {
    google: draft && isFenceProven ? 'drafts' : 'directly',
    readsSent: read,
  })
  return { mailboxId: mailbox.id, revived }
}

/** What Gmail lets one account send within 24 hours. */
function limitOf(address: string): number {
  return /@(?:gmail|googlemail)\.com$/.test(address) ? 500 : 2_000
}

/** As it is kept: the access renewed, drafts and their fence tried, and a message to itself. */
export async function testGmail(
  context: MailboxContext,
  mailbox: Mailbox,
  { retryFailed }: { retryFailed: boolean },
): Promise<TestedMailbox> {
  const { pool, workspaceId, actor } = context
  refuseArchivedMailbox(mailbox)
  const deadline = new Deadline(CHECK_MS_MAX)
  let tried = await tryOut(context, mailbox, deadline)
  // Its token was refused, and is renewed by who asks again.
  if (tried.isTokenRefused) tried = await tryOut(context, mailbox, deadline)
  const { test, isFenced, renewal } = tried
  const answer = await inTransaction(pool, async (tx) => {
    await lockMailbox(tx, workspaceId, mailbox.id)
    // Connected anew since: what was tested is not what is kept.
    const isStill = (await readGmailAccount(tx, mailbox.id))?.renewal === renewal
    const isMended = test.ok && isStill
    if (isMended) {
      await noteFence(tx, mailbox.id, isFenced)
      await reconnectMailbox(tx, workspaceId, mailbox.id, actor)
    }
    const failed = (await failedByLogin(tx, workspaceId, mailbox.id)).length
    return {
      test,
      failedByLogin: failed,
      retried: isMended && retryFailed ? await retryFailedByLogin(tx, workspaceId, mailbox.id) : 0,
    }
  })
  if (test.ok) await unparkAll(pool, workspaceId, mailbox.id)
  return answer
}

async function tryOut(context: MailboxContext, { id, address }: Mailbox, deadline: Deadline) {
  const { trial: { reached } = {} } = context
  reached?.('login')
  const linking = await openGmail(meansOf(context), id, deadline)
  if (!linking.ok)
    return { test: failedLogin(linking.outcome), isFenced: false, renewal: undefined, isTokenRefused: false }
  const { link } = linking
  const checked = await checkLive(link, await messageToItself(address, link.now()), deadline, reached)
  return { ...checked, renewal: link.account.renewal, isTokenRefused: !checked.test.ok && link.isOver() }
}

/** Stops it, forgets what opens it, and gives the permission back to Google; answers whether Google has taken it. */
export async function disconnectGmail(context: MailboxContext, id: string): Promise<{ revoked: boolean }> {
  const { pool, workspaceId, actor } = context
  const mailbox = await loadMailbox(pool, workspaceId, id)
  refuseArchivedMailbox(mailbox)
  if (mailbox.kind !== 'GMAIL') throw notByGmail(mailbox.address)
  const permission = await readPermission(context, id)
  await inTransaction(pool, async (tx) => {
    await lockMailbox(tx, workspaceId, id)
    await forgetGmailAccount(tx, { workspaceId, mailboxId: id })
    await noteNewAccess(tx, id)
    await stopMailbox(tx, workspaceId, id, actor, 'It was disconnected from Google. Connect it again to start sending.')
  })
  return { revoked: await giveBack(context, permission) }
}

export type Permission = { token: string; account: GmailAccount }

/** What Google would take back; read before it is forgotten. */
export async function readPermission(
  { pool, keyring, workspaceId }: MailboxContext,
  mailboxId: string,
): Promise<Permission | undefined> {
  const account = await readGmailAccount(pool, mailboxId)
  if (!account || account.workspaceId !== workspaceId) return undefined
  const token = await readRefreshToken(pool, keyring, account)
  return token.readable && token.secret !== undefined ? { token: token.secret, account } : undefined
}

/** After it was forgotten here. What has the same account by now would be disconnected with it: then it stays. */
export async function giveBack({ pool, google }: MailboxContext, permission: Permission | undefined): Promise<boolean> {
  if (!permission || !google || (await isConnected(pool, permission.account.subject))) return false
  return revokeToken(google, permission.token, REVOKE_MS_MAX)
}

/** A secret of this workspace and this ask: who reads the table of asks cannot make it. */
async function verifierFor({ pool, keyring, workspaceId }: MailboxContext, state: string): Promise<string> {
  const keys = await workspaceKeys(pool, keyring, 'gmail-pkce', [workspaceId])
  return createHmac('sha256', keys.get(workspaceId) ?? '')
    .update(state)
    .digest('base64url')
}

function messageToItself(address: string, now: Date) {
  return composeMessage({
    ...{ from: { name: 'Sendonce', address }, to: { name: '', address }, date: now, html: '', headers: {} },
    subject: `${address} can send`,
    text: `Sendonce sent this from ${address} to itself, to see that the mailbox works. You need not answer.\n`,
    messageId: `<test.${randomUUID()}@${address.slice(address.lastIndexOf('@') + 1)}>`,
  })
}

const meansOf = ({ pool, keyring, google }: MailboxContext): GmailMeans => ({ pool, keyring, google })

function projectOf({ google }: MailboxContext): Google {
  if (google) return google
  throw new PublicError(
    409,
    'no-google-project',
    'This installation has no Google project yet. Whoever runs it makes one and sets GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.',
  )
}

function refuseOther({ kind, address }: Pick<Mailbox, 'kind' | 'address'>): void {
  if (kind === 'GMAIL') return
  throw new PublicError(
    409,
    'mailbox-exists',
    `${address} is a mailbox here already, by SMTP. Remove that one, then connect it by Gmail: its counts stay.`,
  )
}

const notByGmail = (address: string) =>
  new PublicError(
    409,
    'mailbox-by-smtp',
    `${address} sends by SMTP, and nothing is granted for it. Pause or remove it.`,
  )

const wayClosed = () =>
  new PublicError(
    409,
    'ask-not-known',
    'This way back from Google is not open. It is open once, for 15 minutes, and for the person who began in this workspace. If you have loaded this page again, it may be connected by now: look among the mailboxes. If it is not, begin again.',
  )

const failedLogin = ({
  code,
  reason,
  providerText,
}: {
  code: string
  reason: string
  providerText?: string
}): SmtpTest => ({
  ...{ ok: false, stage: 'login', step: 'login', code, sentence: reason },
  providerText: providerText ?? null,
})

function refusedAtLogin(sentence: string, providerText: string | null = null): PublicError {
  const details = { stage: 'login', step: 'login', code: 'TOKEN_EXPIRED', providerText }
  return new PublicError(422, 'mailbox-test-failed', sentence, details)
}

const EXCHANGE_FAILED = {
  revoked: 'Google says that this way back was used or is too old. Begin again.',
  misconfigured:
    'Google does not accept this installation. Whoever runs it compares GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET and the redirect address with the Google project.',
  unavailable: 'Google does not answer as it should at the moment. Begin again in a minute.',
} as const

const NOTHING_GRANTED = 'Google granted no permission to send. Begin again, and leave the permissions ticked.'
const NOT_LASTING =
  'Google gave no lasting permission. Remove Sendonce at myaccount.google.com/permissions, then begin again.'

function otherAccount(signedIn: string, wanted: string | undefined): string {
  return wanted === undefined
    ? 'The mailbox that was to be connected again is no longer here.'
    : `You signed in at Google as ${signedIn}, and this mailbox is ${wanted}. Begin again, and choose that account.`
}
