'use client'

import { useRouter } from 'next/navigation'
import type { ReactNode } from 'react'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { useConfirm } from '#components/ui/overlay/use-confirm.tsx'
import { api, messageOf } from '../api-client.ts'
import { counted } from '../counted.ts'
import { useSession } from '../session/session-context.tsx'
import type { Campaign } from './use-campaigns.ts'
import { useRefreshCampaigns } from './use-campaigns.ts'

type Subject = Pick<Campaign, 'id' | 'name'>

const VERBS = {
  pause: (id: string, workspaceId: string) => api('POST /api/campaigns/[id]/pause', { params: { id }, workspaceId }),
  resume: (id: string, workspaceId: string) => api('POST /api/campaigns/[id]/resume', { params: { id }, workspaceId }),
  archive: (id: string, workspaceId: string) => api('DELETE /api/campaigns/[id]', { params: { id }, workspaceId }),
  restore: (id: string, workspaceId: string) =>
    api('POST /api/campaigns/[id]/restore', { params: { id }, workspaceId }),
}

/** What can be done to many, and taken back by another of these. */
export type ManyVerb = keyof typeof VERBS

/** One after the other; one that cannot be done keeps none of the others from it, and the first such is told. */
export function useManyCampaigns() {
  const { workspace } = useSession()
  const refresh = useRefreshCampaigns()
  return async <One extends Subject>(verb: ManyVerb, campaigns: readonly One[]) => {
    const changed: One[] = []
    let problem: string | null = null
    for (const campaign of campaigns) {
      try {
        await VERBS[verb](campaign.id, workspace.id)
        changed.push(campaign)
      } catch (error) {
        problem ??= `${campaign.name}: ${messageOf(error)}`
      }
    }
    await refresh()
    return { changed, problem }
  }
}

/** What is done to a campaign from wherever it is shown. What can be undone is done at once; stopping asks. */
export function useCampaignVerbs(): {
  pause: (campaign: Subject) => Promise<void>
  resume: (campaign: Subject) => Promise<void>
  stop: (campaign: Subject, waiting: number | undefined) => void
  archive: (campaign: Subject) => Promise<void>
  restore: (campaign: Subject) => Promise<void>
  duplicate: (campaign: Subject) => Promise<void>
  dialog: ReactNode
} {
  const { workspace } = useSession()
  const refresh = useRefreshCampaigns()
  const { ask, dialog } = useConfirm()
  const router = useRouter()

  const now = (verb: ManyVerb) => async (campaign: Subject) => {
    await VERBS[verb](campaign.id, workspace.id)
    await refresh()
  }
  const [pauseNow, resumeNow, archiveNow, restoreNow] = [now('pause'), now('resume'), now('archive'), now('restore')]

  async function atOnce(work: () => Promise<void>, done: string, undo: () => Promise<string>) {
    try {
      await work()
      toastWithUndo(done, undo)
    } catch (error) {
      toast.error(messageOf(error))
      await refresh()
    }
  }

  return {
    dialog,
    pause: (campaign) =>
      atOnce(
        () => pauseNow(campaign),
        `${campaign.name} is paused. What is being handed over right now still goes out; nothing else does.`,
        async () => {
          await resumeNow(campaign)
          return `${campaign.name} goes on.`
        },
      ),
    resume: (campaign) =>
      atOnce(
        () => resumeNow(campaign),
        `${campaign.name} goes on.`,
        async () => {
          await pauseNow(campaign)
          return `${campaign.name} is paused again.`
        },
      ),
    stop: (campaign, waiting) =>
      ask({
        title: `Stop ${campaign.name} for good?`,
        description: `${waiting === undefined ? 'Every email that waits is' : counted(waiting, 'email that waits is', 'emails that wait are')} cancelled. A stopped campaign cannot be resumed, and its people are not written to again by this sequence. To hold it for a while, pause it instead.`,
        confirmLabel: 'Stop for good',
        run: async () => {
          const { cancelled } = await api('POST /api/campaigns/[id]/stop', {
            params: { id: campaign.id },
            workspaceId: workspace.id,
          })
          await refresh()
          toast.success(`${campaign.name} is stopped. ${counted(cancelled, 'email is', 'emails are')} cancelled.`)
        },
      }),
    archive: (campaign) =>
      atOnce(
        () => archiveNow(campaign),
        `${campaign.name} is archived. Nothing of it is deleted.`,
        async () => {
          await restoreNow(campaign)
          return `${campaign.name} is back.`
        },
      ),
    duplicate: async ({ id, name }) => {
      try {
        const copy = await api('POST /api/campaigns/[id]/duplicate', { params: { id }, workspaceId: workspace.id })
        await refresh()
        router.push(`/campaigns/${copy.id}`)
        toast.success(`This is a copy of ${name}, with nobody in it: nobody gets a step of one sequence twice.`)
      } catch (error) {
        toast.error(messageOf(error))
      }
    },
    restore: (campaign) =>
      atOnce(
        () => restoreNow(campaign),
        `${campaign.name} is back.`,
        async () => {
          await archiveNow(campaign)
          return `${campaign.name} is archived again.`
        },
      ),
  }
}
