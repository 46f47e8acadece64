import type { QueryClient } from '@tanstack/react-query'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { api, messageOf } from '../api-client.ts'
import { queryKeys } from '../query-keys.ts'
import type { CommandItem } from '../shell/commands/command-items.ts'

const LISTED = 100

interface Asked {
  workspaceId: string
  queryClient: QueryClient
  navigate: (href: string) => void
}

/** The newest campaigns by name, for the command menu: to open each, and to pause or resume those that may be. */
export async function campaignCommands({ workspaceId, queryClient, navigate }: Asked): Promise<CommandItem[]> {
  const { campaigns } = await api('GET /api/campaigns', { query: { limit: LISTED }, workspaceId })
  const say = async (verb: 'pause' | 'resume', id: string) => {
    const options = { params: { id }, workspaceId }
    if (verb === 'pause') await api('POST /api/campaigns/[id]/pause', options)
    else await api('POST /api/campaigns/[id]/resume', options)
    await queryClient.invalidateQueries({ queryKey: queryKeys.campaigns(workspaceId) })
  }
  return campaigns.flatMap(({ id, name, status }) => {
    const verb = status === 'RUNNING' ? 'pause' : status === 'PAUSED' ? 'resume' : null
    const done = { pause: `${name} is paused.`, resume: `${name} goes on.` }
    const run = async (wish: 'pause' | 'resume') => {
      try {
        await say(wish, id)
        toastWithUndo(done[wish], async () => {
          const back = wish === 'pause' ? 'resume' : 'pause'
          await say(back, id)
          return done[back]
        })
      } catch (error) {
        toast.error(messageOf(error))
      }
    }
    const open: CommandItem = {
      ...{ id: `campaign:${id}`, group: 'Campaigns', label: `Open ${name}`, keywords: ['campaign'] },
      run: () => navigate(`/campaigns/${id}`),
    }
    if (verb === null) return [open]
    const label = `${verb === 'pause' ? 'Pause' : 'Resume'} campaign ${name}`
    return [{ id: `${verb}:${id}`, group: 'Campaigns', label, run: () => void run(verb) }, open]
  })
}
