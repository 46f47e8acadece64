import { system } from '#lib/contract/system.ts'
import { liftByOwner } from '#lib/operations/held.ts'
import { inKeptTransaction, workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(system.liftHold, ({ body, ...asking }) =>
  inKeptTransaction(asking, (tx) => liftByOwner(tx, { ...asking, since: body.since })),
)
