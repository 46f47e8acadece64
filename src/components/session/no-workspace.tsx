'use client'

import dynamic from 'next/dynamic'
import { Button } from '#components/ui/control/button.tsx'
import { AuthLayout } from '../shell/auth-layout.tsx'
import { signOut } from './sign-out.ts'

/** A person who has left, or was removed from, their last workspace. */
/** The layout of every page names this one, and would load its form with every page. */
const CreateWorkspaceForm = dynamic(async () => (await import('./create-workspace-form.tsx')).CreateWorkspaceForm)

export function NoWorkspace({ email }: { email: string }) {
  return (
    <AuthLayout
      title="You are in no workspace"
      description="Ask a colleague for an invitation, or create a workspace of your own."
      footer={
        <div className="flex flex-wrap items-center justify-center gap-2">
          <span className="min-w-0 wrap-anywhere">Signed in as {email}</span>
          <Button variant="ghost" size="sm" onClick={signOut}>
            Sign out
          </Button>
        </div>
      }
    >
      <CreateWorkspaceForm />
    </AuthLayout>
  )
}
