'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { usePathname, useRouter } from 'next/navigation'
import { type ReactNode, useEffect, useState } from 'react'
import { toast } from '#components/ui/overlay/toast.tsx'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { api, messageOf } from '../api-client.ts'
import { HELD_PAGE, useHeld } from '../held/use-held.ts'
import { startSequence } from '../sequences/start-sequence.ts'
import { AppShell } from '../shell/app-shell.tsx'
import type { CommandItem } from '../shell/commands/command-items.ts'
import { currentHref } from '../shell/nav.ts'
import { useOnDemand } from '../use-on-demand.ts'
import { CreateWorkspaceDialog } from './create-workspace-dialog.tsx'
import { leaveFor } from './leave-for.ts'
import { HOME } from './safe-next.ts'
import { sectionsFor } from './sections.ts'
import { SessionProvider, type SessionView } from './session-context.tsx'
import { signOut } from './sign-out.ts'
import { useAttention } from './use-attention.ts'
import { useLiveSession } from './use-live-session.ts'

/** Of what is hardly ever there, pages carry nothing. */
const HeldNotice = dynamic(() => import('../held/held-notice.tsx').then((part) => part.HeldNotice))

const SETTLED_MS = 1_000

const loadCreateForm = async () => (await import('./create-workspace-form.tsx')).CreateWorkspaceForm

/** The shell of the product around every page of a workspace. */
export function WorkspaceShell({ initial, children }: { initial: SessionView; children: ReactNode }) {
  const session = useLiveSession(initial)
  const { person, workspaces, workspace } = session
  const router = useRouter()
  const pathname = usePathname()
  const isSettled = useSettled()
  const held = useHeld(workspace.id, isSettled)
  const [isCreating, setIsCreating] = useState(false)
  const [CreateForm, fetchCreateForm] = useOnDemand(loadCreateForm)
  async function startCreating() {
    if (await fetchCreateForm()) setIsCreating(true)
  }
  const queryClient = useQueryClient()
  const [campaignItems, setCampaignItems] = useState<readonly CommandItem[]>([])
  /** Asked for anew each time: what may be done to a campaign depends on how it stands. */
  async function fetchCampaigns() {
    setCampaignItems([])
    try {
      const { campaignCommands } = await import('./campaign-commands.ts')
      setCampaignItems(await campaignCommands({ workspaceId: workspace.id, queryClient, navigate: router.push }))
    } catch {
      // Until then the menu does everything else.
    }
  }
  const attention = useAttention(workspace.id, isSettled)
  const sections = sectionsFor(workspace.role, attention)

  const { mutate: switchWorkspace } = useMutation({
    mutationFn: (workspaceId: string) => api('PATCH /api/session', { body: { workspaceId } }),
    // The same page there, but not deeper: an id of one workspace is nothing in another.
    onSuccess: () => leaveFor(currentHref(sections, pathname) ?? HOME),
    onError: (error) => toast.error(messageOf(error)),
  })

  const commands: CommandItem[] = [
    {
      id: 'create-workspace',
      group: 'Do',
      label: 'Create a workspace',
      keywords: ['new'],
      run: startCreating,
    },
    {
      id: 'new-sequence',
      group: 'Do',
      label: 'Write a new sequence',
      keywords: ['sequence', 'email', 'step', 'add'],
      run: () =>
        void startSequence(workspace.id).then(
          (address) => router.push(address),
          (error: unknown) => toast.error(messageOf(error)),
        ),
    },
    {
      id: 'import-people',
      group: 'Do',
      label: 'Import people',
      keywords: ['csv', 'prospects', 'contacts', 'upload'],
      run: () => router.push('/prospects/import'),
    },
    { id: 'sign-out', group: 'Do', label: 'Sign out', keywords: ['log out', 'leave'], run: signOut },
  ]
  if (isAtLeast(workspace.role, 'admin')) {
    commands.unshift({
      id: 'invite',
      group: 'Do',
      label: 'Invite a person',
      keywords: ['invitation', 'add', 'member', 'team'],
      run: () => router.push('/team?invite=yes'),
    })
  }

  return (
    <SessionProvider session={session}>
      <AppShell
        sections={sections}
        user={person}
        workspaces={workspaces}
        currentWorkspaceId={workspace.id}
        onSwitchWorkspace={switchWorkspace}
        onCreateWorkspace={startCreating}
        onSignOut={signOut}
        commands={[...commands, ...campaignItems]}
        onCommands={fetchCampaigns}
        notice={held.data?.isHeld && pathname !== HELD_PAGE && <HeldNotice />}
      >
        {children}
      </AppShell>
      <CreateWorkspaceDialog Form={CreateForm} isOpen={isCreating} onOpenChange={setIsCreating} />
    </SessionProvider>
  )
}

/**
 * The shell asks for what is its own a moment after the page has begun to listen: an answer that came sooner than that
 * would be newer than what the server has drawn, and the page would be drawn a second time.
 */
function useSettled(): boolean {
  const [isSettled, setIsSettled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsSettled(true), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [])
  return isSettled
}
