import { z } from 'zod'
import { listMailboxes } from '#lib/email-scheduler/mailbox.ts'
import { connectMailbox, readConnected, withSettings } from '#lib/mail/connect-mailbox.ts'
import { database } from '#lib/platform/database.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { limitBySubject } from '../limit.ts'
import { workspaceRoute } from '../workspace-route.ts'
import { addressInput, mailboxDesk, mailboxFields, mailboxOutput, smtpInput, testInput } from './schemas.ts'

export const GET = workspaceRoute(
  {
    summary: 'The mailboxes of the workspace, by address, with where they are and whether they send at the moment.',
    role: 'member',
    output: z.object({ mailboxes: z.array(mailboxOutput) }),
  },
  async ({ workspace }) => ({
    mailboxes: await withSettings(database(), workspace.id, await listMailboxes(database(), workspace.id)),
  }),
)

export const POST = workspaceRoute(
  {
    summary:
      'Adds an SMTP mailbox once a test gets through to it. With test=false it is kept untested, and stopped. An address that was here before keeps its counts.',
    role: 'admin',
    body: z.object({ address: addressInput, ...mailboxFields, smtp: smtpInput, test: testInput }),
    output: z.object({ mailbox: mailboxOutput, revived: z.boolean() }),
  },
  async (input) => {
    const { workspace, person, body } = input
    if (body.test) await limitBySubject(input, LIMITS.mailboxTestsByPerson, person.id)
    const { mailboxId, revived } = await connectMailbox(mailboxDesk(input), body)
    const mailbox = await readConnected(database(), workspace.id, mailboxId)
    return { mailbox, revived }
  },
)
