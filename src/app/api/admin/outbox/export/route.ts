import { outbox } from '#lib/contract/outbox.ts'
import { exportOutbox } from '#lib/email-scheduler/queue/export-outbox.ts'
import { database } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import { filterOf } from '#lib/wiring/outbox-filter.ts'
import { csvFile } from '../../../csv-file.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(outbox.export, async ({ actor, workspace, body }) => {
  const filter = await filterOf(workspace.id, body)
  await recordAudit(database(), workspace.id, {
    action: 'emails.exported',
    actor,
    target: { kind: 'emails', id: null, name: 'the emails that a filter finds' },
  })
  return csvFile('emails.csv', exportOutbox(database(), workspace.id, filter))
})
