import { headers } from 'next/headers'
import { cache } from 'react'
import { database } from '#lib/platform/database.ts'
import { activeAmong, listMemberships, type Membership } from '#lib/tenancy/access.ts'
import { peekSession, type SignedIn } from '#lib/tenancy/people/session.ts'
import type { Person } from '#lib/tenancy/person.ts'
import { auth } from '#lib/wiring/auth.ts'

export type Visit = {
  person: Person
  session: SignedIn
  workspaces: Membership[]
  workspace: Membership | null
}

/** Who is looking at the page, and from which of their workspaces; read once for each request. */
export const readVisit = cache(async (): Promise<Visit | null> => {
  const session = await peekSession(auth(), await headers())
  if (!session) return null
  const workspaces = await listMemberships(database(), session.person.id)
  return {
    person: session.person,
    session,
    workspaces,
    workspace: activeAmong(workspaces, session.activeWorkspaceId) ?? null,
  }
})
