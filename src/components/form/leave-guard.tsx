'use client'

import { useRouter } from 'next/navigation'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { useConfirm } from '../ui/overlay/use-confirm.tsx'

/**
 * Asks before a page with unsaved input is left: by a link, in a dialog of ours; by closing the tab, in the browser's
 * own. `what` says what becomes of the input. Put the answer anywhere on the page.
 */
export function useLeaveGuard(isUnsaved: boolean, what: string): ReactNode {
  const router = useRouter()
  const { ask, dialog } = useConfirm()

  const onClick = useEffectEvent((event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null
    const isElsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.defaultPrevented
    if (!isUnsaved || isElsewhere || !(link instanceof HTMLAnchorElement) || link.target === '_blank') return
    const { origin, pathname, search } = new URL(link.href)
    if (origin !== location.origin || pathname === location.pathname) return
    event.preventDefault()
    event.stopPropagation()
    ask({
      title: 'Leave without saving?',
      description: what,
      confirmLabel: 'Leave',
      tone: 'normal',
      run: async () => router.push(pathname + search),
    })
  })
  const onUnload = useEffectEvent((event: BeforeUnloadEvent) => {
    if (isUnsaved) event.preventDefault()
  })

  useEffect(() => {
    // Before the link itself hears of it.
    document.addEventListener('click', onClick, { capture: true })
    window.addEventListener('beforeunload', onUnload)
    return () => {
      document.removeEventListener('click', onClick, { capture: true })
      window.removeEventListener('beforeunload', onUnload)
    }
  }, [])

  return dialog
}
