import { findCampaign } from '#lib/campaigns/campaign.ts'
import { changeCampaign } from '#lib/campaigns/draft.ts'
import { archiveCampaign } from '#lib/campaigns/move.ts'
import { campaigns } from '#lib/contract/campaigns.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(campaigns.read, ({ workspace, params }) =>
  findCampaign(database(), workspace.id, params.id),
)

export const PATCH = workspaceRoute(campaigns.edit, ({ workspace, params, body, actor, expected }) =>
  inTransaction(database(), (tx) => changeCampaign(tx, workspace.id, params.id, body, actor, expected)),
)

export const DELETE = workspaceRoute(campaigns.archive, ({ workspace, params, actor }) =>
  inTransaction(database(), (tx) => archiveCampaign(tx, workspace.id, params.id, actor)),
)
