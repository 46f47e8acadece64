'use client'

import { useQuery } from '@tanstack/react-query'
import { usePathname } from 'next/navigation'
import { useEffect, useMemo } from 'react'
import { ACCESS_REFUSED, api, SESSION_ENDED } from '../api-client.ts'
import { queryKeys } from '../query-keys.ts'
import { leaveFor } from './leave-for.ts'
import { HOME, signInHref } from './safe-next.ts'
import type { SessionView } from './session-context.tsx'

/**
 * What the server gave with the page, kept true: a role that changed, a workspace that was renamed. The tab stays in
 * the workspace that it was opened in, even when another tab switches. This call also renews the session's cookie,
 * which no page can do.
 */
export function useLiveSession(initial: SessionView): SessionView {
  const pathname = usePathname()
  const { data, refetch } = useQuery({
    queryKey: queryKeys.session(),
    queryFn: ({ signal }) => api('GET /api/session', { signal }),
    initialData: { person: initial.person, workspaces: [...initial.workspaces], workspace: initial.workspace },
    initialDataUpdatedAt: 0,
    refetchOnWindowFocus: 'always',
  })
  const workspace = data.workspaces.find(({ id }) => id === initial.workspace.id)
  const isSomebodyElse = data.person.id !== initial.person.id
  const isOut = workspace === undefined || isSomebodyElse

  // Pages that were here before come from memory: without this, a person who was removed could go on leafing through them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked anew at every step to another page
  useEffect(() => {
    void refetch({ cancelRefetch: false })
  }, [pathname, refetch])

  useEffect(() => {
    // Also in place of an answer that is on its way: it may be older than the refusal.
    const askAnew = () => void refetch()
    window.addEventListener(ACCESS_REFUSED, askAnew)
    return () => window.removeEventListener(ACCESS_REFUSED, askAnew)
  }, [refetch])

  useEffect(() => {
    window.addEventListener(SESSION_ENDED, onSessionEnd)
    return () => window.removeEventListener(SESSION_ENDED, onSessionEnd)
  }, [])

  useEffect(() => {
    if (isOut) void leaveFor(HOME)
  }, [isOut])

  const { person, workspaces } = data
  // The same object while nothing has changed: a page that is not listening yet would be drawn a second time for another.
  return useMemo(
    () => (isOut || !workspace ? initial : { person, workspaces, workspace }),
    [isOut, initial, person, workspaces, workspace],
  )
}

/** Any answer "not signed in", to whatever was asked, leads to signing in, and back here after it. */
function onSessionEnd(): void {
  void leaveFor(signInHref(window.location.pathname + window.location.search, 'session-ended'))
}
