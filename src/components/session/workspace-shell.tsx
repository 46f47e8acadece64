'use client'

import { usePathname, useRouter } from 'next/navigation'
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { messageOf, requestApi } from '../api-client.ts'
import { AppShell } from '../shell/app-shell.tsx'
import type { CommandItem } from '../shell/command-items.ts'
import { currentHref } from '../shell/nav.ts'
import { toast } from '../ui/toast.tsx'
import { CreateWorkspaceDialog } from './create-workspace-dialog.tsx'
import { leaveFor } from './leave-for.ts'
import { HOME } from './safe-next.ts'
import { sectionsFor } from './sections.ts'
import { SessionProvider, type SessionView } from './session-context.tsx'
import { signOut } from './sign-out.ts'
import { useLiveSession } from './use-live-session.ts'

/** The shell of the product around every page of a workspace. */
export function WorkspaceShell({ initial, children }: { initial: SessionView; children: ReactNode }) {
  const session = useLiveSession(initial)
  const { person, workspaces, workspace } = session
  const router = useRouter()
  const pathname = usePathname()
  const [isCreating, setIsCreating] = useState(false)
  const sections = useMemo(() => sectionsFor(workspace.role), [workspace.role])

  const switchWorkspace = useCallback(
    async (workspaceId: string) => {
      try {
        await requestApi('/api/session', { method: 'PATCH', body: { workspaceId } })
        // The same page there, but not deeper: an id of one workspace is nothing in another.
        await leaveFor(currentHref(sections, pathname) ?? HOME)
      } catch (error) {
        toast.error(messageOf(error))
      }
    },
    [sections, pathname],
  )

  const commands = useMemo<CommandItem[]>(() => {
    const invite: CommandItem = {
      id: 'invite',
      group: 'Do',
      label: 'Invite somebody',
      keywords: ['invitation', 'add', 'member', 'team'],
      run: () => router.push('/team?invite=yes'),
    }
    return [
      ...(isAtLeast(workspace.role, 'admin') ? [invite] : []),
      {
        id: 'create-workspace',
        group: 'Do',
        label: 'Create a workspace',
        keywords: ['new'],
        run: () => setIsCreating(true),
      },
      { id: 'sign-out', group: 'Do', label: 'Sign out', keywords: ['log out', 'leave'], run: signOut },
    ]
  }, [workspace.role, router])

  return (
    <SessionProvider session={session}>
      <AppShell
        sections={sections}
        user={person}
        workspaces={workspaces}
        currentWorkspaceId={workspace.id}
        onSwitchWorkspace={switchWorkspace}
        onCreateWorkspace={() => setIsCreating(true)}
        onSignOut={signOut}
        commands={commands}
      >
        {children}
      </AppShell>
      <CreateWorkspaceDialog isOpen={isCreating} onOpenChange={setIsCreating} />
    </SessionProvider>
  )
}
