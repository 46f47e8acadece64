import { z } from 'zod'
import { listIssues, loadReport } from '#lib/audience/import-report.ts'
import { database } from '#lib/platform/database.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { issueKind, issuesOutput, reportOutput } from '../schemas.ts'

export const GET = workspaceRoute(
  {
    summary: 'What became of an import, and the lines that added or changed nobody, in the order of the file.',
    role: 'member',
    params: idParams,
    query: z.object({
      kind: issueKind.optional(),
      cursor: z.coerce.number().int().min(0).max(2_147_483_647).optional(),
      limit: z.coerce.number().int().min(1).max(1_000).default(200),
    }),
    output: z.object({ report: reportOutput, ...issuesOutput.shape }),
  },
  async ({ workspace, params, query: { kind, cursor, limit } }) => {
    const report = await loadReport(database(), workspace.id, params.id)
    return { report, ...(await listIssues(database(), report.id, { afterLine: cursor, kind, limit })) }
  },
)
