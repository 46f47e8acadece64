import { z } from 'zod'
import { openTransport } from '#lib/mail/open-transport.ts'
import { sendTest } from '#lib/mail/test-send.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { keyring } from '../../../keyring.ts'
import { limitBySubject } from '../../../limit.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { previewAsk } from '../../schemas.ts'

/** Seconds: connecting and handing over have deadlines of their own below it. */
export const maxDuration = 60

export const POST = workspaceRoute(
  {
    summary: 'Sends a step, as a real prospect would get it, to your own address. Counts towards nothing.',
    role: 'member',
    params: idParams,
    body: z.object({ ...previewAsk, mailboxId: z.uuid(), to: z.string().max(1_000).optional() }),
    output: z.object({ to: z.string(), subject: z.string(), notes: z.array(z.string()) }),
  },
  async ({ workspace, params, body, person, actor, ...entry }) => {
    const { to = person.email, ...ask } = body
    if (to.trim().toLowerCase() !== person.email)
      throw new PublicError(400, 'not-yourself', `A test goes only to yourself, at ${person.email}.`)
    await limitBySubject(entry, LIMITS.testSendsByPerson, person.id)
    const by = {
      appUrl: env().APP_URL,
      keyring: keyring(),
      person,
      actor,
      openTransport: (id: string) => openTransport(database(), keyring(), id),
    }
    return sendTest(database(), workspace.id, { sequenceId: params.id, ...ask }, by)
  },
)
