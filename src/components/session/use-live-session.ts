'use client'

import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Membership } from '#lib/tenancy/access.ts'
import type { Person } from '#lib/tenancy/person.ts'
import { requestApi, SESSION_ENDED } from '../api-client.ts'
import { queryKeys } from '../query-keys.ts'
import { leaveFor } from './leave-for.ts'
import { HOME, signInHref } from './safe-next.ts'
import type { SessionView } from './session-context.tsx'

interface SessionAnswer {
  person: Person
  workspaces: Membership[]
}

/**
 * What the server gave with the page, kept true: a role that changed, a workspace that was renamed. The tab stays in
 * the workspace that it was opened in, even when another tab switches. This call also renews the session's cookie,
 * which no page can do.
 */
export function useLiveSession(initial: SessionView): SessionView {
  const { data } = useQuery({
    queryKey: queryKeys.session(),
    queryFn: ({ signal }) => requestApi<SessionAnswer>('/api/session', { signal }),
    initialData: { person: initial.person, workspaces: [...initial.workspaces] },
    initialDataUpdatedAt: 0,
    refetchOnWindowFocus: 'always',
  })
  const workspace = data.workspaces.find(({ id }) => id === initial.workspace.id)
  const isSomebodyElse = data.person.id !== initial.person.id
  const isOut = workspace === undefined || isSomebodyElse

  useEffect(() => {
    window.addEventListener(SESSION_ENDED, onSessionEnd)
    return () => window.removeEventListener(SESSION_ENDED, onSessionEnd)
  }, [])

  useEffect(() => {
    if (isOut) void leaveFor(HOME)
  }, [isOut])

  if (isOut) return initial
  return { person: data.person, workspaces: data.workspaces, workspace }
}

/** Any answer "not signed in", to whatever was asked, leads to signing in, and back here after it. */
function onSessionEnd(): void {
  void leaveFor(signInHref(window.location.pathname + window.location.search, 'session-ended'))
}
