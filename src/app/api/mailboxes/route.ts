import { mailboxes } from '#lib/contract/mailboxes.ts'
import { connectMailbox } from '#lib/mail/mailboxes/connect-mailbox.ts'
import { listWithOutlook, readConnected } from '#lib/mail/mailboxes/list-mailboxes.ts'
import { database } from '#lib/platform/database.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { mailboxContext, trialBy } from '#lib/wiring/mailbox-context.ts'
import { google } from '#lib/wiring/providers.ts'
import { limitBySubject } from '../limit.ts'
import { workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(mailboxes.list, async ({ workspace, query }) => ({
  mailboxes: await listWithOutlook(database(), workspace.id, query.archived),
  gmail: { isSetUp: google() !== undefined },
}))

export const POST = workspaceRoute(mailboxes.connect, async (input) => {
  const { workspace, person, body, keep } = input
  if (body.test) await limitBySubject(LIMITS.mailboxTestsByPerson, person.id)
  const { testMessage: _, ...wanted } = body
  const context = { ...mailboxContext(input), trial: trialBy(input) }
  const { mailboxId, revived } = await connectMailbox(context, wanted, async (tx, made) => {
    const mailbox = await readConnected(tx, workspace.id, made.mailboxId)
    await keep(tx, { mailbox, revived: made.revived })
  })
  const mailbox = await readConnected(database(), workspace.id, mailboxId)
  return { mailbox, revived }
})
