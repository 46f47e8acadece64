import { z } from 'zod'
import { nameOf, refused, type Wish } from '#lib/email-scheduler/act.ts'
import { askNobody, check } from '#lib/email-scheduler/check.ts'
import { database } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit.ts'
import { idParams } from '../../../../schemas.ts'
import { type WorkspaceContext, workspaceRoute } from '../../../../workspace-route.ts'
import { actAndRead, attemptMs, readOne } from '../../act-on-one.ts'
import { emailDetailOutput } from '../../schemas.ts'

export const POST = workspaceRoute(
  {
    summary:
      'Decides about an email whose outcome is unknown: delivered, send_again (it may then arrive twice), or check, which asks the provider and says in `found` what it learned.',
    role: 'admin',
    params: idParams,
    body: z.object({ as: z.enum(['delivered', 'send_again', 'check']) }),
    output: emailDetailOutput.extend({ found: z.string().nullable() }),
  },
  async (input) => {
    if (input.body.as === 'check') return lookForEvidence(input)
    const wish: Wish =
      input.body.as === 'delivered' ? { action: 'delivered' } : { action: 'send_again', attemptMsMax: attemptMs() }
    return { ...(await actAndRead(input, wish)), found: null }
  },
)

async function lookForEvidence({ workspace, actor, params }: WorkspaceContext & { params: { id: string } }) {
  const answer = await check(database(), workspace.id, params.id, askNobody)
  if (answer.answer !== 'done') throw refused(answer)
  await recordAudit(database(), workspace.id, {
    action: 'email.checked',
    actor,
    target: { kind: 'email', id: params.id, name: await nameOf(database(), params.id) },
    details: { status: answer.status },
  })
  return { ...(await readOne(workspace.id, params.id)), found: answer.sentence }
}
