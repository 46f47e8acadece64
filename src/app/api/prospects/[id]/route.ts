import { listsOf, loadProspect } from '#lib/audience/list-prospects.ts'
import { changeProspect } from '#lib/audience/prospects/change-prospect.ts'
import { formerAddressesOf } from '#lib/audience/prospects/former-addresses.ts'
import { suppressedProspects } from '#lib/audience/suppression/suppressed.ts'
import { prospects } from '#lib/contract/prospects.ts'
import { DONE } from '#lib/contract/shared.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { consequencesIn, hasherFor } from '#lib/wiring/audience.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(prospects.read, async ({ workspace, params }) => {
  const prospect = await loadProspect(database(), workspace.id, params.id)
  const suppressed = await suppressedProspects(database(), workspace.id, [prospect.id])
  return {
    prospect,
    lists: await listsOf(database(), prospect.id),
    suppressedBy: suppressed.get(prospect.id) ?? null,
    formerAddresses: await formerAddressesOf(database(), prospect.id),
  }
})

export const PATCH = workspaceRoute(prospects.edit, async ({ actor, workspace, params, body, expected }) => {
  const hash = await hasherFor(workspace.id)
  return inTransaction(database(), (tx) =>
    changeProspect(tx, workspace.id, hash, params.id, body, actor, consequencesIn(workspace.id), expected),
  )
})

export const DELETE = workspaceRoute(prospects.archive, async ({ actor, workspace, params }) => {
  const hash = await hasherFor(workspace.id)
  await inTransaction(database(), (tx) =>
    changeProspect(tx, workspace.id, hash, params.id, { archived: true }, actor, consequencesIn(workspace.id)),
  )
  return DONE
})
