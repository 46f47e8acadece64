import { sendingSettings } from '#lib/contract/settings.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { changeSendingSettings, readSendingForm } from '#lib/tenancy/workspaces/change-sending-settings.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(sendingSettings.read, ({ workspace }) => readSendingForm(database(), workspace.id))

export const PUT = workspaceRoute(sendingSettings.change, ({ workspace, actor, body, expected }) =>
  inTransaction(database(), (tx) => changeSendingSettings(tx, workspace, actor, body, expected)),
)
