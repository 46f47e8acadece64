import { outbox } from '#lib/contract/outbox.ts'
import { nameOf, refused } from '#lib/email-scheduler/verbs/act.ts'
import { check } from '#lib/email-scheduler/verbs/check.ts'
import type { VerbCall } from '#lib/email-scheduler/verbs/verb-call.ts'
import { VERBS } from '#lib/email-scheduler/verbs.ts'
import { database } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import { askProvider } from '#lib/wiring/ask-provider.ts'
import { type WorkspaceContext, workspaceRoute } from '../../../../workspace-route.ts'
import { actAndRead, attemptMs, readOne } from '../../act-on-one.ts'

export const POST = workspaceRoute(outbox.resolve, async (input) => {
  if (input.body.as === 'check') return lookForEvidence(input)
  const wish: VerbCall =
    input.body.as === 'delivered' ? { action: 'delivered' } : { action: 'send_again', attemptMsMax: attemptMs() }
  return { ...(await actAndRead(input, wish)), found: null }
})

async function lookForEvidence({ workspace, actor, params }: WorkspaceContext & { params: { id: string } }) {
  const answer = await check(database(), workspace.id, params.id, askProvider())
  if (answer.answer !== 'done') throw refused(answer)
  await recordAudit(database(), workspace.id, {
    action: VERBS.check.audited,
    actor,
    target: { kind: 'email', id: params.id, name: await nameOf(database(), params.id) },
    details: { status: answer.status },
  })
  return { ...(await readOne(workspace.id, params.id)), found: answer.sentence }
}
