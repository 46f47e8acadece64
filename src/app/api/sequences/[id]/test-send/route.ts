import { sequences } from '#lib/contract/sequences.ts'
import { sendTest } from '#lib/mail/message/test-send.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { database } from '#lib/platform/database.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { testSendingBy } from '#lib/wiring/test-sending.ts'
import { limitBySubject } from '../../../limit.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

/** Seconds: connecting and handing over have deadlines of their own below it. */
export const maxDuration = 60

export const POST = workspaceRoute(sequences.testSend, async ({ workspace, params, body, person, actor }) => {
  const { to = person.email, ...ask } = body
  if (to.trim().toLowerCase() !== person.email)
    throw new PublicError(400, 'not-yourself', `A test goes only to yourself, at ${person.email}.`)
  await limitBySubject(LIMITS.testSendsByPerson, person.id)
  return sendTest(database(), workspace.id, { sequenceId: params.id, ...ask }, testSendingBy({ person, actor }))
})
