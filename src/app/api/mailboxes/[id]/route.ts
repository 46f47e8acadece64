import { z } from 'zod'
import { editMailbox, readConnected, removeMailbox } from '#lib/mail/connect-mailbox.ts'
import { database } from '#lib/platform/database.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { limitBySubject } from '../../limit.ts'
import { DONE, done, idParams } from '../../schemas.ts'
import { workspaceRoute } from '../../workspace-route.ts'
import { mailboxDesk, mailboxFields, mailboxOutput, smtpInput, testInput } from '../schemas.ts'

const output = z.object({ mailbox: mailboxOutput })

export const GET = workspaceRoute(
  { summary: 'A mailbox, with where it is. Never its password.', role: 'member', params: idParams, output },
  async ({ workspace, params }) => ({ mailbox: await readConnected(database(), workspace.id, params.id) }),
)

export const PATCH = workspaceRoute(
  {
    summary:
      'Changes name, limits, server or password of a mailbox, or stops it. New access is tested first; with test=false it is kept untested, and the mailbox stops.',
    role: 'admin',
    params: idParams,
    body: z.object({
      ...mailboxFields,
      smtp: smtpInput.partial().optional(),
      test: testInput,
      stopped: z.literal(true, { error: 'A mailbox is started by testing it.' }).optional(),
    }),
    /** What its refused login had failed for good; a test with retryFailed starts that over. */
    output: output.extend({ failedByLogin: z.number() }),
  },
  async (input) => {
    const { workspace, person, params, body } = input
    if (body.smtp && body.test) await limitBySubject(input, LIMITS.mailboxTestsByPerson, person.id)
    const { failedByLogin } = await editMailbox(mailboxDesk(input), params.id, body)
    return { failedByLogin, mailbox: await readConnected(database(), workspace.id, params.id) }
  },
)

export const DELETE = workspaceRoute(
  {
    summary: 'Archives a mailbox and forgets its password. Added again, its address keeps its counts.',
    role: 'admin',
    params: idParams,
    output: done,
  },
  async (input) => {
    await removeMailbox(mailboxDesk(input), input.params.id)
    return DONE
  },
)
