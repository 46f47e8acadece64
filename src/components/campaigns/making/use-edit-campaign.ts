'use client'

import { useState } from 'react'
import type { Sent } from '#lib/contract/over-the-wire.ts'
import { api, messageOf } from '../../api-client.ts'
import type { SaveState } from '../../form/save-state.tsx'
import { useSession } from '../../session/session-context.tsx'
import { type Campaign, useRefreshCampaigns } from '../use-campaigns.ts'

export type CampaignChange = NonNullable<Sent<'PATCH /api/campaigns/[id]'>['body']>

/** Saves what is chosen at once, one wish after the other, and says how that went. What is not named stays as it is. */
export function useEditCampaign(campaign: Campaign) {
  const { workspace } = useSession()
  const refresh = useRefreshCampaigns()
  const [state, setState] = useState<SaveState>({ kind: 'saved', at: new Date(campaign.updatedAt) })
  async function save(body: CampaignChange): Promise<void> {
    setState({ kind: 'saving' })
    try {
      await api('PATCH /api/campaigns/[id]', { params: { id: campaign.id }, body, workspaceId: workspace.id })
      await refresh()
      setState({ kind: 'saved', at: new Date() })
    } catch (error) {
      setState({ kind: 'failed', sentence: messageOf(error) })
      throw error
    }
  }
  return { save, state }
}
