import { z } from 'zod'
import { findCampaign } from '#lib/campaigns/campaign.ts'
import { readLedger } from '#lib/campaigns/ledger.ts'
import { database } from '#lib/platform/database.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { campaignStatus, ledgerOutput } from '../../schemas.ts'

export const GET = workspaceRoute(
  {
    summary: 'The two ledgers of a campaign: enrolments by state, emails by status, and whether they balance.',
    role: 'member',
    params: idParams,
    output: z.object({ status: campaignStatus, ledger: ledgerOutput }),
  },
  async ({ workspace, params }) => {
    const { id, status } = await findCampaign(database(), workspace.id, params.id)
    return { status, ledger: await readLedger(database(), id) }
  },
)
