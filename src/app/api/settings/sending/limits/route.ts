import { sendingSettings } from '#lib/contract/settings.ts'
import { readLimitsOfToday } from '#lib/email-scheduler/read/mailboxes-today.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(sendingSettings.limits, ({ workspace }) =>
  readLimitsOfToday(database(), workspace.id),
)
