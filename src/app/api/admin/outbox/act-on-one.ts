import { attemptMsMax } from '#lib/email-scheduler/limits.ts'
import { type EmailDetail, readEmail } from '#lib/email-scheduler/read/read-email.ts'
import { actOnOne } from '#lib/email-scheduler/verbs/act.ts'
import type { VerbCall } from '#lib/email-scheduler/verbs/verb-call.ts'
import { database, inTransaction, type Sql } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import type { WorkspaceContext } from '../../workspace-route.ts'

/** As the workers' environment has it. */
export const attemptMs = () => attemptMsMax(env().SUBMIT_SECONDS)

export const readOne = (workspaceId: string, id: string) => readEmail(database(), workspaceId, id, attemptMs())

type Done = Pick<WorkspaceContext, 'workspace' | 'actor'> & {
  params: { id: string }
  keep: (tx: Sql) => Promise<void>
}

/** Done in one transaction, then as the email is now. */
export async function actAndRead({ workspace, actor, params, keep }: Done, wish: VerbCall): Promise<EmailDetail> {
  await inTransaction(database(), async (tx) => {
    await actOnOne(tx, workspace.id, params.id, wish, actor)
    await keep(tx)
  })
  return readOne(workspace.id, params.id)
}

export function wishOf(action: VerbCall['action'], at: Date | undefined): VerbCall {
  if (action === 'send_again') return { action, attemptMsMax: attemptMs() }
  return action === 'reschedule' ? { action, at: at ?? new Date(Number.NaN) } : { action }
}
