'use client'

import { AuthLayout } from '../shell/auth-layout.tsx'
import { Button } from '../ui/button.tsx'
import { CreateWorkspaceForm } from './create-workspace-form.tsx'
import { signOut } from './sign-out.ts'

/** Whoever has left, or was removed from, their last workspace. */
export function NoWorkspace({ email }: { email: string }) {
  return (
    <AuthLayout
      title="You are in no workspace"
      description="Ask somebody for an invitation, or create a workspace of your own."
      footer={
        <div className="flex flex-wrap items-center justify-center gap-2">
          <span className="min-w-0 break-all">Signed in as {email}</span>
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
