import { addMailbox, type NewMailbox } from '#lib/email-scheduler/mailboxes/add-mailbox.ts'
import {
  changeMailbox,
  type MailboxChange,
  noteNewAccess,
  reconnectMailbox,
  stopMailbox,
} from '#lib/email-scheduler/mailboxes/change-mailbox.ts'
import { failedByLogin, retryFailedByLogin } from '#lib/email-scheduler/mailboxes/failed-by-login.ts'
import {
  loadMailbox,
  lockMailbox,
  type Mailbox,
  refuseArchivedMailbox,
} from '#lib/email-scheduler/mailboxes/mailbox.ts'
import { archiveMailbox } from '#lib/email-scheduler/mailboxes/remove-mailbox.ts'
import { forgetGmailAccount } from '#lib/mail/gmail/gmail-account.ts'
import { passwordOf, readSmtpSettings, type SmtpSettings, saveSmtpSettings } from '#lib/mail/smtp/smtp-settings.ts'
import { refuseFailed, type SmtpTest, testSmtp } from '#lib/mail/smtp/test-smtp.ts'
import { notFound, PublicError } from '#lib/platform/api-response.ts'
import { appNow, clockFrom } from '#lib/platform/clock.ts'
import { inSnapshot, inTransaction, type Sql } from '#lib/platform/database.ts'
import { type Expected, refuseStale } from '#lib/platform/rows/row-version.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import { forgetCredentials, storeCredential, tryCredential } from '#lib/tenancy/credentials/credentials.ts'
import { giveBack, readPermission, testGmail } from './gmail-mailbox.ts'
import { type MailboxContext, type TestedMailbox, unparkAll } from './mailbox-context.ts'
import { unreadablePassword } from './open-transport.ts'
import { type Sender, testMessage } from './test-message.ts'

type SmtpInput = SmtpSettings & { password?: string }

const UNTESTED = 'It has not been tested yet. Test it to start sending.'

type ConnectAnswer = { mailboxId: string; revived: boolean }

/** Adds an SMTP mailbox; by default only one that a test got through to. `alongWith` is done in the same transaction. */
export async function connectMailbox(
  context: MailboxContext,
  { smtp, test, ...wanted }: Omit<NewMailbox, 'kind' | 'stoppedReason'> & { smtp: SmtpInput; test: boolean },
  alongWith: (tx: Sql, made: ConnectAnswer) => Promise<void> = async () => undefined,
): Promise<ConnectAnswer> {
  const { pool, keyring, workspaceId, actor } = context
  const from = { name: wanted.displayName ?? '', address: wanted.address }
  if (test) refuseFailed(await tryAccess(context, { settings: smtp, password: smtp.password }, from))
  return inTransaction(pool, async (tx) => {
    const stoppedReason = test ? undefined : UNTESTED
    const { mailbox, revived } = await addMailbox(tx, workspaceId, { ...wanted, kind: 'SMTP', stoppedReason }, actor)
    await saveSmtpSettings(tx, workspaceId, mailbox.id, smtp)
    await forgetCredentials(tx, { workspaceId, ownerKind: 'mailbox', ownerId: mailbox.id })
    if (smtp.password !== undefined)
      await storeCredential(tx, keyring, passwordOf(workspaceId, mailbox.id), smtp.password)
    await alongWith(tx, { mailboxId: mailbox.id, revived })
    return { mailboxId: mailbox.id, revived }
  })
}

/**
 * Changes limits, name, server or password, and stops it. New access is tested first; what cannot be reached is not kept,
 * unless a person wants it so, and then the mailbox stops until a test gets through.
 */
export async function editMailbox(
  context: MailboxContext,
  id: string,
  { smtp, test, stopped, ...change }: MailboxChange & { smtp?: Partial<SmtpInput>; test: boolean; stopped?: true },
  expected?: Expected,
): Promise<{ failedByLogin: number }> {
  const { pool, keyring, workspaceId, actor } = context
  const seen = await loadMailbox(pool, workspaceId, id)
  refuseArchivedMailbox(seen)
  refuseStale(expected, seen.version)
  if (smtp && seen.kind === 'GMAIL') throw hasNoServer(seen.address)
  const access = smtp ? await accessAfter(context, id, smtp) : undefined
  if (access && test) refuseFailed(await tryAccess(context, access, senderOf({ ...seen, ...change })))
  await inTransaction(pool, async (tx) => {
    refuseStale(expected, (await lockMailbox(tx, workspaceId, id)).version)
    await changeMailbox(tx, workspaceId, id, change, actor)
    if (access) {
      // Under the mailbox's lock: what was tested with the old access must not be joined with another's change of it.
      const now = (await readSmtpSettings(tx, workspaceId)).get(id)
      if (now?.updatedAt.getTime() !== access.updatedAt.getTime()) throw changedMeanwhile()
      await saveSmtpSettings(tx, workspaceId, id, access.settings)
      await noteNewAccess(tx, id)
      if (smtp?.password !== undefined) await storeCredential(tx, keyring, passwordOf(workspaceId, id), smtp.password)
      await tellOfAccess(tx, context, id, access.settings, smtp?.password !== undefined)
      if (test && !stopped) await reconnectMailbox(tx, workspaceId, id, actor)
    }
    if (stopped) await stopMailbox(tx, workspaceId, id, actor)
    else if (access && !test) await stopMailbox(tx, workspaceId, id, actor, UNTESTED)
  })
  if (access && test && !stopped) await unparkAll(pool, workspaceId, id)
  return { failedByLogin: (await failedByLogin(pool, workspaceId, id)).length }
}

/** Tests what is kept. Where it works, the mailbox is connected again, and what its refused login had failed may be started over. */
export async function testMailbox(
  context: MailboxContext,
  id: string,
  { retryFailed }: { retryFailed: boolean },
): Promise<TestedMailbox> {
  const { pool, workspaceId, actor } = context
  const mailbox = await loadMailbox(pool, workspaceId, id)
  refuseArchivedMailbox(mailbox)
  if (mailbox.kind === 'GMAIL') return testGmail(context, mailbox, { retryFailed })
  const tested = await accessAfter(context, id, {})
  const test = tested.unreadable ? failedTest(tested.unreadable) : await tryAccess(context, tested, senderOf(mailbox))
  const answer = await inTransaction(pool, async (tx) => {
    await lockMailbox(tx, workspaceId, id)
    const now = (await readSmtpSettings(tx, workspaceId)).get(id)
    // The access has changed since: what was tested is not what is kept.
    const isStill = now?.updatedAt.getTime() === tested.updatedAt.getTime()
    if (test.ok && isStill) await reconnectMailbox(tx, workspaceId, id, actor)
    const failed = (await failedByLogin(tx, workspaceId, id)).length
    const retried = test.ok && isStill && retryFailed ? await retryFailedByLogin(tx, workspaceId, id) : 0
    return { test, failedByLogin: failed, retried }
  })
  if (test.ok) await unparkAll(pool, workspaceId, id)
  return answer
}

/** Nothing that opens it is kept. */
export async function removeMailbox(context: MailboxContext, id: string, takenOverBy: string | null): Promise<void> {
  const { pool, workspaceId, actor } = context
  const permission = await readPermission(context, id)
  await inTransaction(pool, async (tx) => {
    await archiveMailbox(tx, workspaceId, id, takenOverBy, actor)
    await forgetGmailAccount(tx, { workspaceId, mailboxId: id })
  })
  await giveBack(context, permission)
}

/** `unreadable` says why the password that is kept is of no use. */
type Access = { settings: SmtpSettings; password: string | undefined; unreadable: string | undefined; updatedAt: Date }

/** The access as it would be with a change; the password that is kept stands in for one that is not given. */
async function accessAfter(
  context: MailboxContext,
  id: string,
  { password, ...change }: Partial<SmtpInput>,
): Promise<Access> {
  const { kept, reading } = await readAccess(context, id)
  const { updatedAt, ...before } = kept
  const settings = { ...before, ...change }
  const isElsewhere = (['host', 'port', 'security'] as const).some((name) => settings[name] !== before[name])
  if (isElsewhere && settings.username !== null && password === undefined) throw passwordNeeded()
  const keptPassword = reading.readable ? reading.secret : undefined
  const isNeeded = password === undefined && settings.username !== null
  const unreadable = isNeeded && !reading.readable ? unreadablePassword(reading) : undefined
  return { settings, password: password ?? keptPassword, unreadable, updatedAt }
}

/** As the worker would open it, and on to a message where one is asked for. */
async function tryAccess(
  { pool, keyring, workspaceId, surroundings, trial: { reached, messageTo } = {} }: MailboxContext,
  { settings, password }: Pick<Access, 'settings' | 'password'>,
  from: Sender,
): Promise<SmtpTest> {
  const now = clockFrom(await appNow(pool))
  const message = messageTo && (() => testMessage(pool, keyring, workspaceId, { from, to: messageTo, now: now() }))
  return testSmtp(settings, password, now, surroundings, { ...(reached && { reached }), ...(message && { message }) })
}

const senderOf = ({ displayName, address }: Pick<Mailbox, 'displayName' | 'address'>): Sender => ({
  name: displayName,
  address,
})

/** Server and password of one moment: read one after the other, a change in between would join two that never belonged together. */
async function readAccess({ pool, keyring, workspaceId }: MailboxContext, id: string) {
  return inSnapshot(pool, async (tx) => {
    const kept = (await readSmtpSettings(tx, workspaceId)).get(id)
    if (!kept) throw notFound()
    return { kept, reading: await tryCredential(tx, keyring, passwordOf(workspaceId, id)) }
  })
}

const hasNoServer = (address: string) =>
  new PublicError(
    409,
    'mailbox-by-gmail',
    `${address} sends by Gmail, and has no server of its own. To send by SMTP, remove it and add it again: its counts stay.`,
  )

const changedMeanwhile = () =>
  new PublicError(
    409,
    'changed-meanwhile',
    'Another change of this mailbox’s server or password came first, so nothing was kept. Look at it and enter yours again.',
  )

/** Or a person who may change the server could have the password sent to one of their own. */
const passwordNeeded = () =>
  new PublicError(
    400,
    'password-needed',
    'Enter the password again: it is only ever sent to the server that it was given for.',
  )

async function tellOfAccess(
  tx: Sql,
  { workspaceId, actor }: MailboxContext,
  id: string,
  { host, port, security, username }: SmtpSettings,
  newPassword: boolean,
): Promise<void> {
  const { address } = await loadMailbox(tx, workspaceId, id)
  await recordAudit(tx, workspaceId, {
    action: 'mailbox.changed',
    actor,
    target: { kind: 'mailbox', id, name: address },
    details: { host, port, security, username, newPassword },
  })
}

function failedTest(sentence: string): SmtpTest {
  return { ok: false, stage: 'login', step: 'login', code: 'MAILBOX_INCOMPLETE', sentence, providerText: null }
}
