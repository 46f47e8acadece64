import { listIssues, loadReport } from '#lib/audience/import/import-report.ts'
import { imports } from '#lib/contract/import.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(imports.report, async ({ workspace, params, query: { kind, cursor, limit } }) => {
  const report = await loadReport(database(), workspace.id, params.id)
  return { report, ...(await listIssues(database(), report.id, { afterLine: cursor, kind, limit })) }
})
