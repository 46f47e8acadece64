import type pg from 'pg'
import { addMailbox, type NewMailbox } from '#lib/email-scheduler/add-mailbox.ts'
import {
  archiveMailbox,
  changeMailbox,
  type MailboxChange,
  reconnectMailbox,
  stopMailbox,
} from '#lib/email-scheduler/change-mailbox.ts'
import { failedByLogin, retryFailedByLogin } from '#lib/email-scheduler/failed-by-login.ts'
import { unpark } from '#lib/email-scheduler/unpark.ts'
import { loadMailbox, lockMailbox, type Mailbox } from '#lib/email-scheduler/mailbox.ts'
import { notFound, PublicError } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { recordAudit } from '#lib/tenancy/audit.ts'
import { forgetCredentials, storeCredential, tryCredential } from '#lib/tenancy/credentials.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import type { Surroundings } from './open-smtp.ts'
import { clockFrom, UNREADABLE_PASSWORD } from './open-transport.ts'
import { passwordOf, readSmtpSettings, type SmtpSettings, saveSmtpSettings } from './smtp-settings.ts'
import { refuseFailed, type SmtpTest, testSmtp } from './test-smtp.ts'

export type ConnectedMailbox = Mailbox & { smtp: SmtpSettings | null }

/** Who asks, where, and what the answer is read and written with. */
export type MailboxDesk = {
  pool: pg.Pool
  keyring: Keyring
  workspaceId: string
  actor: Actor
  surroundings?: Surroundings
}

type SmtpInput = SmtpSettings & { password?: string }

const UNTESTED = 'It has not been tested yet. Test it to start sending.'

/** Adds an SMTP mailbox; by default only one that a test got through to. */
export async function connectMailbox(
  desk: MailboxDesk,
  { smtp, test, ...wanted }: Omit<NewMailbox, 'kind' | 'stoppedReason'> & { smtp: SmtpInput; test: boolean },
): Promise<{ mailboxId: string; revived: boolean }> {
  const { pool, keyring, workspaceId, actor, surroundings } = desk
  if (test) refuseFailed(await testSmtp(smtp, smtp.password, clockFrom(await appNow(pool)), surroundings))
  return inTransaction(pool, async (tx) => {
    const stoppedReason = test ? undefined : UNTESTED
    const { mailbox, revived } = await addMailbox(tx, workspaceId, { ...wanted, kind: 'SMTP', stoppedReason }, actor)
    await saveSmtpSettings(tx, workspaceId, mailbox.id, smtp)
    await forgetCredentials(tx, { workspaceId, ownerKind: 'mailbox', ownerId: mailbox.id })
    if (smtp.password !== undefined)
      await storeCredential(tx, keyring, passwordOf(workspaceId, mailbox.id), smtp.password)
    return { mailboxId: mailbox.id, revived }
  })
}

/**
 * Changes limits, name, server or password, and stops it. New access is tested first; what cannot be reached is not kept,
 * unless somebody wants it so, and then the mailbox stops until a test gets through.
 */
export async function editMailbox(
  desk: MailboxDesk,
  id: string,
  { smtp, test, stopped, ...change }: MailboxChange & { smtp?: Partial<SmtpInput>; test: boolean; stopped?: true },
): Promise<{ failedByLogin: number }> {
  const { pool, keyring, workspaceId, actor, surroundings } = desk
  await loadMailbox(pool, workspaceId, id)
  const access = smtp ? await accessAfter(desk, id, smtp) : undefined
  if (access && test)
    refuseFailed(await testSmtp(access.settings, access.password, clockFrom(await appNow(pool)), surroundings))
  await inTransaction(pool, async (tx) => {
    await changeMailbox(tx, workspaceId, id, change, actor)
    if (access) {
      await saveSmtpSettings(tx, workspaceId, id, access.settings)
      if (smtp?.password !== undefined) await storeCredential(tx, keyring, passwordOf(workspaceId, id), smtp.password)
      await tellOfAccess(tx, desk, id, access.settings, smtp?.password !== undefined)
      if (test && !stopped) await reconnectMailbox(tx, workspaceId, id, actor)
    }
    if (stopped) await stopMailbox(tx, workspaceId, id, actor)
    else if (access && !test) await stopMailbox(tx, workspaceId, id, actor, UNTESTED)
  })
  if (access && test && !stopped) await unparkAll(pool, workspaceId, id)
  return { failedByLogin: (await failedByLogin(pool, workspaceId, id)).length }
}

export type TestedMailbox = {
  test: SmtpTest
  /** How many emails failed for good because the login was refused, and how many of those were started over. */
  failedByLogin: number
  retried: number
}

/** Tests what is kept. Where it works, the mailbox is connected again, and what its refused login had failed may be started over. */
export async function testMailbox(
  desk: MailboxDesk,
  id: string,
  { retryFailed }: { retryFailed: boolean },
): Promise<TestedMailbox> {
  const { pool, workspaceId, actor, surroundings } = desk
  await loadMailbox(pool, workspaceId, id)
  const tested = await accessAfter(desk, id, {})
  const test = tested.unreadable
    ? failedTest(UNREADABLE_PASSWORD)
    : await testSmtp(tested.settings, tested.password, clockFrom(await appNow(pool)), surroundings)
  const answer = await inTransaction(pool, async (tx) => {
    await lockMailbox(tx, workspaceId, id)
    const now = (await readSmtpSettings(tx, workspaceId)).get(id)
    // Somebody has changed the access meanwhile: what was tested is not what is kept.
    const isStill = now?.updatedAt.getTime() === tested.updatedAt.getTime()
    if (test.ok && isStill) await reconnectMailbox(tx, workspaceId, id, actor)
    const failed = (await failedByLogin(tx, workspaceId, id)).length
    const retried = test.ok && isStill && retryFailed ? await retryFailedByLogin(tx, workspaceId, id) : 0
    return { test, failedByLogin: failed, retried }
  })
  if (test.ok) await unparkAll(pool, workspaceId, id)
  return answer
}

/** In a transaction of its own, after the mailbox was let go: prospects and emails are many, and others wait for its row. */
async function unparkAll(pool: pg.Pool, workspaceId: string, mailboxId: string): Promise<void> {
  await inTransaction(pool, (tx) => unpark(tx, workspaceId, { mailboxId }, 'mailbox-connected'))
}

/** Nothing that opens it is kept. */
export async function removeMailbox({ pool, workspaceId, actor }: MailboxDesk, id: string): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await archiveMailbox(tx, workspaceId, id, actor)
    await forgetCredentials(tx, { workspaceId, ownerKind: 'mailbox', ownerId: id })
  })
}

/** Mailboxes with where they are; never with a password. */
export async function withSettings(
  sql: Sql,
  workspaceId: string,
  mailboxes: readonly Mailbox[],
): Promise<ConnectedMailbox[]> {
  const settings = await readSmtpSettings(sql, workspaceId)
  return mailboxes.map((mailbox) => {
    const smtp = settings.get(mailbox.id)
    if (!smtp) return { ...mailbox, smtp: null }
    const { host, port, security, username } = smtp
    return { ...mailbox, smtp: { host, port, security, username } }
  })
}

export async function readConnected(sql: Sql, workspaceId: string, id: string): Promise<ConnectedMailbox> {
  const [mailbox] = await withSettings(sql, workspaceId, [await loadMailbox(sql, workspaceId, id)])
  if (!mailbox) throw notFound()
  return mailbox
}

type Access = { settings: SmtpSettings; password: string | undefined; unreadable: boolean; updatedAt: Date }

/** The access as it would be with a change; the password that is kept stands in for one that is not given. */
async function accessAfter(
  { pool, keyring, workspaceId }: MailboxDesk,
  id: string,
  { password, ...change }: Partial<SmtpInput>,
): Promise<Access> {
  const kept = (await readSmtpSettings(pool, workspaceId)).get(id)
  if (!kept) throw notFound()
  const { updatedAt, ...before } = kept
  const settings = { ...before, ...change }
  const isElsewhere = settings.host !== before.host || settings.security !== before.security
  if (isElsewhere && settings.username !== null && password === undefined) throw passwordNeeded()
  const reading = await tryCredential(pool, keyring, passwordOf(workspaceId, id))
  const keptPassword = reading.readable ? reading.secret : undefined
  const unreadable = password === undefined && settings.username !== null && !reading.readable
  return { settings, password: password ?? keptPassword, unreadable, updatedAt }
}

/** Or whoever may change the server could have the password sent to one of their own. */
const passwordNeeded = () =>
  new PublicError(
    400,
    'password-needed',
    'Enter the password again: it is only ever sent to the server that it was given for.',
  )

async function tellOfAccess(
  tx: Sql,
  { workspaceId, actor }: MailboxDesk,
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
  return { ok: false, stage: 'login', code: 'MAILBOX_INCOMPLETE', sentence, providerText: null }
}
