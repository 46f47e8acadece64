import { enrolments } from '#lib/contract/enrolments.ts'
import { listAllEnrolments } from '#lib/email-scheduler/read/list-all-enrolments.ts'
import { readWorkspaceLedgers } from '#lib/operations/promise/ledgers.ts'
import { database } from '#lib/platform/database.ts'
import { hasherFor } from '#lib/wiring/audience.ts'
import { workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(enrolments.all, async ({ workspace, query: { cursor, limit, search, state } }) => {
  const searched = search ? { text: search, hash: await hasherFor(workspace.id) } : undefined
  const page = await listAllEnrolments(database(), workspace.id, { state, search: searched }, { cursor, limit })
  // The very count that the promise's page shows, so that its doors lead to the same number.
  const ledgers = cursor === undefined ? await readWorkspaceLedgers(database(), workspace.id) : null
  return { ...page, counts: ledgers && { countedAt: ledgers.countedAt, states: ledgers.enrolments } }
})
