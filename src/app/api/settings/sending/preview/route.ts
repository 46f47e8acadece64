import { sendingSettings } from '#lib/contract/settings.ts'
import { trySettings } from '#lib/email-scheduler/plan/try-settings.ts'
import { readLimitsOfToday } from '#lib/email-scheduler/read/mailboxes-today.ts'
import { database, inSnapshot } from '#lib/platform/database.ts'
import { settingsAsWished } from '#lib/tenancy/workspaces/settings-as-wished.ts'
import { budgetOf } from '../../../campaigns/budget.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

/** A person waits for it while they go on changing. */
const TRY_MS_MAX = 3_000

export const POST = workspaceRoute(sendingSettings.preview, ({ workspace, body }) =>
  inSnapshot(database(), async (tx) => {
    const settings = await settingsAsWished(tx, workspace.id, body)
    return {
      effect: await trySettings(tx, workspace.id, settings, budgetOf(TRY_MS_MAX)),
      limits: await readLimitsOfToday(tx, workspace.id, settings),
    }
  }),
)
