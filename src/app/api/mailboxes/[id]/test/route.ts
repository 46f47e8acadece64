import { z } from 'zod'
import { testMailbox } from '#lib/mail/connect-mailbox.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { limitBySubject } from '../../../limit.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { mailboxDesk, testOutput } from '../../schemas.ts'

export const POST = workspaceRoute(
  {
    summary:
      'Connects and logs in, sends nothing, and says in words what fails. A mailbox that works is connected again; with retryFailed, what its refused login had failed is started over.',
    role: 'admin',
    params: idParams,
    body: z.object({ retryFailed: z.boolean().default(false) }),
    output: z.object({ test: testOutput, failedByLogin: z.number(), retried: z.number() }),
  },
  async (input) => {
    await limitBySubject(input, LIMITS.mailboxTestsByPerson, input.person.id)
    return testMailbox(mailboxDesk(input), input.params.id, input.body)
  },
)
