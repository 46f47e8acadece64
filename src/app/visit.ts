import { headers } from 'next/headers'
import { cache } from 'react'
import { database } from '#lib/platform/database.ts'
import { activeAmong, listMemberships, type Membership } from '#lib/tenancy/access.ts'
import type { Person } from '#lib/tenancy/person.ts'
import { peekSession } from '#lib/tenancy/session.ts'
import { auth } from './api/services.ts'

export type Visit = { person: Person; workspaces: Membership[]; workspace: Membership | null }

/** Who is looking at the page, and from which of their workspaces; read once for each request. */
export const readVisit = cache(async (): Promise<Visit | null> => {
  const session = await peekSession(auth(), await headers())
  if (!session) return null
  const workspaces = await listMemberships(database(), session.person.id)
  return {
    person: session.person,
    workspaces,
    workspace: activeAmong(workspaces, session.activeWorkspaceId) ?? null,
  }
})
