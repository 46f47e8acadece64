import type { GmailContext } from '#lib/mail/mailboxes/gmail-mailbox.ts'
import type { MailboxContext, Trial } from '#lib/mail/mailboxes/mailbox-context.ts'
import type { TestStep } from '#lib/mail/smtp/test-steps.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import type { Actor, Person } from '#lib/tenancy/person.ts'
import { keyring } from './keyring.ts'
import { google } from './providers.ts'

/** Where a person of a workspace connects and changes its mailboxes. */
export function mailboxContext({ workspace, actor }: { workspace: { id: string }; actor: Actor }): MailboxContext {
  return { pool: database(), keyring: keyring(), workspaceId: workspace.id, actor, google: google() }
}

type Asking = { workspace: { id: string }; actor: Actor; person: Person; tell: (progress: { step: TestStep }) => void }

/** Where a person goes to Google and comes back: always to the address that its Google project knows. */
export function gmailContext(input: Omit<Asking, 'tell'> & Partial<Pick<Asking, 'tell'>>): GmailContext {
  const { tell } = input
  return {
    ...mailboxContext(input),
    personId: input.person.id,
    redirectUri: new URL('/mailboxes/gmail', env().APP_URL).href,
    trial: tell ? { reached: (step) => tell({ step }) } : {},
  }
}

type Watched = {
  person: Person
  tell: (progress: { step: TestStep }) => void
  body: { testMessage: boolean }
}

/** The test goes on before the eyes of who asked for it, and its message goes to them alone. */
export function trialBy({ person, tell, body }: Watched): Trial {
  return {
    reached: (step) => tell({ step }),
    ...(body.testMessage && { messageTo: { name: person.name, address: person.email } }),
  }
}
