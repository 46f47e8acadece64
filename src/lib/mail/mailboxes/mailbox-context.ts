import type pg from 'pg'
import { unpark } from '#lib/email-scheduler/effects/unpark.ts'
import type { Google } from '#lib/mail/gmail/google.ts'
import type { Surroundings } from '#lib/mail/smtp/open-smtp.ts'
import type { SmtpTest } from '#lib/mail/smtp/test-smtp.ts'
import type { TestStep } from '#lib/mail/smtp/test-steps.ts'
import { inTransaction } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import type { Actor } from '#lib/tenancy/person.ts'

/** Who asks, where, and what the answer is read and written with. */
export type MailboxContext = {
  pool: pg.Pool
  keyring: Keyring
  workspaceId: string
  actor: Actor
  surroundings?: Surroundings
  /** The Google project of this installation, if it has one. */
  google?: Google | undefined
  /** How access is tested, where it is. */
  trial?: Trial
}

export type Trial = {
  reached?: (step: TestStep) => void
  /** Who gets a message to show that one is accepted; nobody where it is left out. */
  messageTo?: { name: string; address: string }
}

export type TestedMailbox = {
  test: SmtpTest
  /** How many emails failed for good because the login was refused, and how many of those were started over. */
  failedByLogin: number
  retried: number
}

/** In a transaction of its own, after the mailbox was let go: prospects and emails are many, and others wait for its row. */
export async function unparkAll(pool: pg.Pool, workspaceId: string, mailboxId: string): Promise<void> {
  await inTransaction(pool, (tx) => unpark(tx, workspaceId, { mailboxId }, 'mailbox-connected'))
}
