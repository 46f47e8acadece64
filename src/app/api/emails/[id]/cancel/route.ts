import { emails } from '#lib/contract/emails.ts'
import { readOneEmail } from '#lib/email-scheduler/transactional/read-emails.ts'
import { actOnOne } from '#lib/email-scheduler/verbs/act.ts'
import { inKeptTransaction, workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(emails.cancel, ({ workspace, actor, params, keep }) =>
  inKeptTransaction({ keep }, async (tx) => {
    // A campaign's email is not found here.
    await readOneEmail(tx, workspace.id, params.id)
    await actOnOne(tx, workspace.id, params.id, { action: 'cancel' }, actor)
    return readOneEmail(tx, workspace.id, params.id)
  }),
)
