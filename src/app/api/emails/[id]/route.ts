import { emails } from '#lib/contract/emails.ts'
import { readOneEmail } from '#lib/email-scheduler/transactional/read-emails.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(emails.read, ({ workspace, params }) =>
  readOneEmail(database(), workspace.id, params.id),
)
