import type { z } from 'zod'
import { actOnOne, type Wish } from '#lib/email-scheduler/act.ts'
import { attemptMsMax } from '#lib/email-scheduler/limits.ts'
import { type EmailDetail, readEmail } from '#lib/email-scheduler/read-email.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import type { RouteHandler } from '#lib/platform/route.ts'
import { idParams } from '../../schemas.ts'
import { type WorkspaceContext, workspaceRoute } from '../../workspace-route.ts'
import { emailDetailOutput } from './schemas.ts'

/** As the workers' environment has it. */
export const attemptMs = () => attemptMsMax(env().SUBMIT_SECONDS)

export const readOne = (workspaceId: string, id: string) => readEmail(database(), workspaceId, id, attemptMs())

type Done = Pick<WorkspaceContext, 'workspace' | 'actor'> & { params: { id: string } }

/** Done in one transaction, then as the email is now. */
export async function actAndRead({ workspace, actor, params }: Done, wish: Wish): Promise<EmailDetail> {
  await inTransaction(database(), (tx) => actOnOne(tx, workspace.id, params.id, wish, actor))
  return readOne(workspace.id, params.id)
}

/** A person's verb on one email: 409 with the sentence where the email does not allow it. */
export function verbRoute<Body = undefined>(
  summary: string,
  wishOf: (body: Body) => Wish,
  body?: z.ZodType<Body>,
): RouteHandler {
  return workspaceRoute(
    { summary, role: 'admin', params: idParams, output: emailDetailOutput, ...(body ? { body } : {}) },
    (input) => actAndRead(input, wishOf(input.body)),
  )
}
