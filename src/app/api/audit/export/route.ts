import { z } from 'zod'
import { database } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit.ts'
import { exportAudit } from '#lib/tenancy/audit-export.ts'
import { workspaceRoute } from '../../workspace-route.ts'
import { auditFilter } from '../filter.ts'

export const POST = workspaceRoute(
  {
    summary: 'The audit log as a CSV file. A POST, since the export is itself kept in the log.',
    role: 'admin',
    body: z.object(auditFilter),
    output: z.instanceof(Response),
  },
  async ({ actor, workspace, body }) => {
    await recordAudit(database(), workspace.id, {
      action: 'audit.exported',
      actor,
      target: { kind: 'workspace', id: workspace.id, name: workspace.name },
    })
    return new Response(streamOf(exportAudit(database(), workspace.id, body)), {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="audit-log.csv"',
        'cache-control': 'no-store',
      },
    })
  },
)

/** Read as fast as the caller takes it, and no further when the caller goes away. */
function streamOf(lines: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const next = await lines.next()
      if (next.done) controller.close()
      else controller.enqueue(encoder.encode(next.value))
    },
    async cancel() {
      await lines.return(undefined)
    },
  })
}
