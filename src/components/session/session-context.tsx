'use client'

import { createContext, type ReactNode, useContext } from 'react'
import type { Membership } from '#lib/tenancy/access.ts'
import type { Person } from '#lib/tenancy/person.ts'

export interface SessionView {
  person: Person
  workspaces: readonly Membership[]
  /** The one that this tab is in, with the role there. */
  workspace: Membership
}

const SessionContext = createContext<SessionView | null>(null)

export function SessionProvider({ session, children }: { session: SessionView; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>
}

/** Who is at work, where, and as what. Inside the shell only. */
export function useSession(): SessionView {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('useSession needs the shell around it.')
  return session
}
