import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { NoWorkspace } from '#components/session/no-workspace.tsx'
import { signInHref } from '#components/session/safe-next.ts'
import { WorkspaceShell } from '#components/session/workspace-shell.tsx'
import { readVisit } from '../visit.ts'

/**
 * Lets in who is signed in. What they may see and do is decided where it is read and done, in each route: a layout is
 * not asked again on the way from one page to the next.
 */
export default async function WorkspaceLayout({ children }: { children: ReactNode }) {
  const visit = await readVisit()
  if (!visit) redirect(signInHref((await headers()).get('x-page') ?? '/'))
  const { person, workspaces, workspace } = visit
  if (!workspace) return <NoWorkspace email={person.email} />
  return (
    <WorkspaceShell key={workspace.id} initial={{ person, workspaces, workspace }}>
      {children}
    </WorkspaceShell>
  )
}
