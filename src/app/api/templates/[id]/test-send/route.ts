import { templates } from '#lib/contract/emails.ts'
import { sendTemplateTest } from '#lib/outbox/preview-template.ts'
import { database } from '#lib/platform/database.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { testSendingBy } from '#lib/wiring/test-sending.ts'
import { limitBySubject } from '../../../limit.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

/** As of a sequence. */
export const maxDuration = 60

export const POST = workspaceRoute(templates.testSend, async ({ workspace, params, body, person, actor }) => {
  await limitBySubject(LIMITS.testSendsByPerson, person.id)
  const by = testSendingBy({ person, actor })
  return sendTemplateTest(database(), workspace.id, { templateId: params.id, ...body }, by)
})
