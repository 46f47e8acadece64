import { countPeopleOf } from '#lib/campaigns/of-sequences.ts'
import { enrolments } from '#lib/contract/enrolments.ts'
import { listAllEnrolments } from '#lib/email-scheduler/read/list-all-enrolments.ts'
import { readWorkspaceLedgers } from '#lib/operations/promise/ledgers.ts'
import { appNow } from '#lib/platform/clock.ts'
import { database } from '#lib/platform/database.ts'
import { hasherFor } from '#lib/wiring/audience.ts'
import { workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(enrolments.all, async ({ workspace, query }) => {
  const { cursor, limit, search, state, sequenceId } = query
  const searched = search ? { text: search, hash: await hasherFor(workspace.id) } : undefined
  const filter = { state, search: searched, sequenceId }
  const page = await listAllEnrolments(database(), workspace.id, filter, { cursor, limit })
  return { ...page, counts: cursor === undefined ? await countsOf(workspace.id, sequenceId) : null }
})

/** The very counts that the promise's page and the list of sequences show, so that their doors lead to the same number. */
async function countsOf(workspaceId: string, sequenceId: string | undefined) {
  if (sequenceId) {
    const states = await countPeopleOf(database(), workspaceId, sequenceId)
    return { countedAt: await appNow(database()), states }
  }
  const { countedAt, enrolments: states } = await readWorkspaceLedgers(database(), workspaceId)
  return { countedAt, states }
}
