import type { MailboxContext, Trial } from '#lib/mail/mailboxes/connect-mailbox.ts'
import type { TestStep } from '#lib/mail/smtp/test-steps.ts'
import { database } from '#lib/platform/database.ts'
import type { Actor, Person } from '#lib/tenancy/person.ts'
import { keyring } from './keyring.ts'

/** Where a person of a workspace connects and changes its mailboxes. */
export function mailboxContext({ workspace, actor }: { workspace: { id: string }; actor: Actor }): MailboxContext {
  return { pool: database(), keyring: keyring(), workspaceId: workspace.id, actor }
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
